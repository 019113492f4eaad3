export { userHandlers } from './users.routes.ts'
export { createUsers } from './users.service.ts'
