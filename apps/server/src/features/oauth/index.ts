export { signInCookie } from './sign-in-cookie.ts'
export { oauthHandlers } from './oauth.routes.ts'
export { createOauth, type Oauth } from './oauth.service.ts'
