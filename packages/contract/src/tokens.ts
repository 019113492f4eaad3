import * as z from 'zod/mini'
import { limits } from './constants.ts'
import { Id, Ok, Time, text } from './primitives.ts'
import { route, signedIn } from './route.ts'
import { type Scope, scopes } from './scopes.ts'

const names = Object.keys(scopes) as [Scope, ...Scope[]]

/** A personal access token as its owner sees it. The token itself is shown once, when it is made. */
export const AccessToken = z.object({
  id: Id,
  name: z.string(),
  scopes: z.array(z.string()),
  createdAt: Time,
  /** null: it does not expire. */
  expiresAt: z.nullable(Time),
  /** Exact to a minute. */
  lastUsedAt: z.nullable(Time),
})
export type AccessToken = z.infer<typeof AccessToken>

export const AccessTokenCreate = z.object({
  name: text(limits.nameMax),
  scopes: z.array(z.enum(names)).check(z.minLength(1, 'Choose at least one'), z.maxLength(names.length)),
  expiresAt: z.nullable(Time.check(z.maxLength(32))),
})
export type AccessTokenCreate = z.infer<typeof AccessTokenCreate>

/** Personal access tokens. They are made and revoked in the browser: no token may call these. */
export const tokenRoutes = {
  'tokens.list': route({
    method: 'GET',
    path: '/api/v1/user/tokens',
    summary: 'Your access tokens, newest first',
    access: signedIn,
    reply: z.object({ count: z.number(), tokens: z.array(AccessToken) }),
    errors: [],
  }),
  'tokens.create': route({
    method: 'POST',
    path: '/api/v1/user/tokens',
    summary: 'Create an access token. Only this answer shows it',
    access: signedIn,
    body: AccessTokenCreate,
    reply: z.extend(AccessToken, { token: z.string() }),
    errors: [],
    audit: 'user.token.created',
    example: {
      body: { name: 'Nightly report', scopes: ['project:read'], expiresAt: '2030-01-01T00:00:00.000Z' },
    },
  }),
  'tokens.revoke': route({
    method: 'DELETE',
    path: '/api/v1/user/tokens/:tokenId',
    summary: 'Revoke an access token at once',
    access: signedIn,
    params: z.object({ tokenId: Id }),
    reply: Ok,
    errors: [],
    audit: 'user.token.revoked',
  }),
}
