import * as z from 'zod/mini'
import { Id } from './primitives.ts'
import { anyone, route, signedIn } from './route.ts'

/** An editor sign-in under way, as the page that asks "allow or deny" shows it. */
export const AccessRequest = z.object({
  id: Id,
  client: z.string(),
  instance: z.nullable(z.object({ id: Id, name: z.string() })),
})
export type AccessRequest = z.infer<typeof AccessRequest>

const RequestParams = z.object({ requestId: Id })

const OauthError = z.object({ error: z.string(), description: z.string() })
export type OauthError = z.infer<typeof OauthError>

const shortText = z.optional(z.string().check(z.maxLength(2048)))

export const TokenReply = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.number(),
  state: z.optional(z.string()),
  scope: z.enum(['*', 'read', 'http']),
})
export type TokenReply = z.infer<typeof TokenReply>

/** Authorization code with PKCE for editors and protected endpoints (docs/specification/protocol-instances.md). */
export const editorAuthRoutes = {
  'account.accessRequest': route({
    method: 'GET',
    path: '/api/v1/user/requests/:requestId',
    summary: 'A pending editor sign-in',
    access: signedIn,
    params: RequestParams,
    reply: AccessRequest,
    errors: [],
  }),
  'editorAuth.authorize': route({
    method: 'GET',
    path: '/account/authorize',
    summary: 'Start an editor sign-in; redirects',
    access: anyone,
    query: z.object({
      response_type: shortText,
      client_id: shortText,
      redirect_uri: shortText,
      scope: shortText,
      state: shortText,
      code_challenge: shortText,
      code_challenge_method: shortText,
    }),
    errors: ['invalid_request'],
  }),
  'editorAuth.complete': route({
    method: 'GET',
    path: '/account/complete/:requestId',
    summary: 'Finish an editor sign-in; redirects with a code',
    access: signedIn,
    params: RequestParams,
    errors: ['access_denied'],
  }),
  'editorAuth.reject': route({
    method: 'GET',
    path: '/account/reject/:requestId',
    summary: 'Refuse an editor sign-in; redirects',
    access: signedIn,
    params: RequestParams,
    errors: [],
  }),
  'editorAuth.token': route({
    method: 'POST',
    path: '/account/token',
    summary: 'Exchange a code, a refresh token or an editor session for an access token',
    access: anyone,
    body: z.object({
      grant_type: shortText,
      code: shortText,
      redirect_uri: shortText,
      code_verifier: shortText,
      client_id: shortText,
      client_secret: shortText,
      refresh_token: shortText,
      username: shortText,
    }),
    reply: TokenReply,
    errors: ['invalid_request'],
  }),
}
