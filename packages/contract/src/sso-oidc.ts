import * as z from 'zod/mini'
import { Id } from './primitives.ts'
import { anyone, route } from './route.ts'
import { behind } from './switches.ts'

/** The calls of sign-ins by OpenID Connect. */
export const ssoOidcRoutes = behind('sso', {
  'ssoOidc.callback': route({
    method: 'GET',
    path: '/ee/sso/oidc/:providerId/callback',
    summary:
      'Takes the answer of an OpenID Connect provider. Sets the session cookie and redirects to the page asked for',
    access: anyone,
    params: z.object({ providerId: Id }),
    errors: [],
    audit: 'account.login',
  }),
})
