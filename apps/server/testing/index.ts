export { clientWith, password, type TestTeam, type TestUser, until } from './build.ts'
export { mostQueries } from './queries.ts'
export { type Answer, cookieOf, send, testClock } from './request.ts'
export { freePort, startServer, type TestServer, type TestServerOptions } from './server.ts'
