import * as z from 'zod/mini'
import { limits, patterns } from './constants.ts'
import { Id, Ok, Time, text } from './primitives.ts'
import { may, route, signedIn, anyone, whileLocked } from './route.ts'

export const Username = z
  .string()
  .check(
    z.minLength(1, 'Required field'),
    z.maxLength(limits.nameMax),
    z.regex(patterns.username, 'Must only contain a-z 0-9 - _'),
  )
export const Email = z.string().check(z.maxLength(254), z.regex(patterns.email, 'Enter a valid email address'))
export const Password = z
  .string()
  .check(
    z.minLength(limits.passwordMin, 'Password must be at least 8 characters'),
    z.maxLength(limits.passwordMax, 'Password too long'),
  )
export const PersonName = text(limits.nameMax).check(z.refine((name) => !name.includes('://'), 'Names can not be URLs'))

export const UserSummary = z.object({
  id: Id,
  username: z.string(),
  name: z.string(),
  email: z.string(),
  avatar: z.string(),
  admin: z.boolean(),
  createdAt: Time,
  suspended: z.boolean(),
})
export type UserSummary = z.infer<typeof UserSummary>

export const User = z.extend(UserSummary, {
  email_verified: z.boolean(),
  defaultTeam: z.optional(Id),
  password_expired: z.optional(z.literal(true)),
  tcs_accepted: z.optional(Time),
})
export type User = z.infer<typeof User>

export const Session = z.object({
  id: Id,
  current: z.boolean(),
  address: z.string(),
  userAgent: z.string(),
  createdAt: Time,
  lastSeenAt: Time,
  expiresAt: Time,
})
export type Session = z.infer<typeof Session>

/** An editor sign-in under way, as the page that asks "allow or deny" shows it. */
export const AccessRequest = z.object({
  id: Id,
  client: z.string(),
  instance: z.nullable(z.object({ id: Id, name: z.string() })),
})
export type AccessRequest = z.infer<typeof AccessRequest>

export const Credentials = z.object({
  username: z.string().check(z.minLength(1, 'Required field'), z.maxLength(254)),
  password: z.optional(z.string().check(z.maxLength(limits.passwordMax, 'Too long'))),
})

const UserPatch = z.partial(
  z.object({
    /** Empty: the user name again. */
    name: z.string().check(
      z.trim(),
      z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`),
      z.refine((name) => !name.includes('://'), 'Names can not be URLs'),
    ),
    defaultTeam: Id,
    tcs_accepted: z.literal(true),
  }),
)

export const accountRoutes = {
  'account.login': route({
    method: 'POST',
    path: '/account/login',
    summary: 'Sign in; sets the session cookie',
    access: anyone,
    body: Credentials,
    errors: ['password_required', 'user_suspended', 'too_many_requests'],
    audit: 'account.login',
    example: { body: { username: 'alice', password: 'correct horse' } },
  }),
  'account.logout': route({
    method: 'POST',
    path: '/account/logout',
    summary: 'Sign out; also answers without a session',
    access: anyone,
    reply: Ok,
    errors: [],
    audit: 'account.logout',
    example: { reply: { status: 'okay' } },
  }),
  'account.verify': route({
    method: 'POST',
    path: '/account/verify',
    summary: 'Send the verification mail again',
    access: whileLocked(signedIn),
    reply: Ok,
    errors: ['invalid_request'],
  }),
  'account.get': route({
    method: 'GET',
    path: '/api/v1/user',
    summary: 'The signed-in user',
    access: whileLocked(may('user:read', 'self')),
    reply: User,
    errors: [],
  }),
  'account.update': route({
    method: 'PUT',
    path: '/api/v1/user',
    summary: 'Change the own profile',
    access: may('user:edit', 'self'),
    body: UserPatch,
    reply: User,
    errors: ['invalid_team'],
    audit: 'user.updated-user',
    example: { body: { tcs_accepted: true } },
  }),
  'account.changePassword': route({
    method: 'PUT',
    path: '/api/v1/user/change_password',
    summary: 'Change the own password; ends all other sessions',
    access: whileLocked(may('user:edit', 'self')),
    body: z.object({
      old_password: z.string().check(z.maxLength(limits.passwordMax)),
      password: z.string().check(z.maxLength(limits.passwordMax)),
    }),
    reply: Ok,
    errors: ['password_change_failed', 'too_many_requests'],
    audit: 'user.updated-password',
  }),
  'account.sessions': route({
    method: 'GET',
    path: '/api/v1/user/sessions',
    summary: 'Where the user is signed in',
    access: signedIn,
    reply: z.object({ count: z.number(), sessions: z.array(Session) }),
    errors: [],
  }),
  'account.endSession': route({
    method: 'DELETE',
    path: '/api/v1/user/sessions/:sessionId',
    summary: 'End one of the own sessions',
    access: may('user:edit', 'self'),
    params: z.object({ sessionId: Id }),
    reply: Ok,
    errors: [],
    audit: 'user.session.revoked',
  }),
  'account.accessRequest': route({
    method: 'GET',
    path: '/api/v1/user/requests/:requestId',
    summary: 'An editor sign-in that waits for an answer',
    access: signedIn,
    params: z.object({ requestId: Id }),
    reply: AccessRequest,
    errors: [],
  }),
}

const OauthError = z.object({ error: z.string(), description: z.string() })
export type OauthError = z.infer<typeof OauthError>

const RequestParams = z.object({ requestId: Id })
const shortText = z.optional(z.string().check(z.maxLength(2048)))

export const TokenReply = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.number(),
  state: z.optional(z.string()),
  scope: z.enum(['*', 'read', 'http']),
})
export type TokenReply = z.infer<typeof TokenReply>

/** Authorization code with PKCE for editors and protected endpoints (decisions 5.2). */
export const oauthRoutes = {
  'oauth.authorize': route({
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
  'oauth.complete': route({
    method: 'GET',
    path: '/account/complete/:requestId',
    summary: 'Finish an editor sign-in; redirects with a code',
    access: signedIn,
    params: RequestParams,
    errors: ['access_denied'],
  }),
  'oauth.reject': route({
    method: 'GET',
    path: '/account/reject/:requestId',
    summary: 'Refuse an editor sign-in; redirects',
    access: signedIn,
    params: RequestParams,
    errors: [],
  }),
  'oauth.token': route({
    method: 'POST',
    path: '/account/token',
    summary: 'Exchange a code or a refresh token',
    access: anyone,
    body: z.object({
      grant_type: shortText,
      code: shortText,
      redirect_uri: shortText,
      code_verifier: shortText,
      client_id: shortText,
      client_secret: shortText,
      refresh_token: shortText,
    }),
    reply: TokenReply,
    errors: ['invalid_request'],
  }),
}
