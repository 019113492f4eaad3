import * as z from 'zod/mini'
import { limits, patterns } from './constants.ts'
import { Id, Ok, Time, text } from './primitives.ts'
import { inBrowser, anyone, may, route, signedIn, whileLocked } from './route.ts'

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
  /** The address is not proven, and need not be: the account was made by a copied link where no mail can be sent. */
  email_proof_waived: z.optional(z.literal(true)),
  defaultTeam: z.optional(Id),
  password_expired: z.optional(z.literal(true)),
  /** A second factor is required of everyone, and the user has none. */
  mfa_missing: z.optional(z.literal(true)),
  tcs_accepted: z.optional(Time),
  /** A new address waits for the link that was sent to it. */
  pendingEmailChange: z.optional(z.literal(true)),
  /** The same address, in the own record alone. */
  pendingEmail: z.optional(z.string()),
  /** Only with the feature sso. */
  sso_enabled: z.optional(z.boolean()),
  /** Only with billing that gives new customers free credit. */
  free_trial_available: z.optional(z.boolean()),
})
export type User = z.infer<typeof User>

export const Credentials = z.object({
  username: z.string().check(z.minLength(1, 'Required field'), z.maxLength(254)),
  password: z.optional(z.string().check(z.maxLength(limits.passwordMax, 'Too long'))),
})

/** The own profile, each field by itself. */
export const UserPatch = z.partial(
  z.object({
    username: Username,
    /** Empty: the user name again. */
    name: z.string().check(
      z.trim(),
      z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`),
      z.refine((name) => !name.includes('://'), 'Names can not be URLs'),
    ),
    /** Becomes the address only when the link sent there is used. */
    email: Email,
    defaultTeam: Id,
    tcs_accepted: z.literal(true),
    /** Administrators alone. */
    admin: z.boolean(),
    /** Administrators alone. */
    email_verified: z.boolean(),
  }),
)
export type UserPatch = z.infer<typeof UserPatch>

export const accountRoutes = {
  'account.login': route({
    method: 'POST',
    path: '/account/login',
    whenDiskIsFull: true,
    summary: 'Sign in. Sets the session cookie',
    access: anyone,
    body: Credentials,
    errors: ['password_required', 'sso_required', 'user_suspended', 'too_many_requests', 'mfa_required'],
    audit: 'account.login',
    example: { body: { username: 'alice', password: 'correct horse' } },
  }),
  'account.logout': route({
    method: 'POST',
    path: '/account/logout',
    whenDiskIsFull: true,
    summary: 'Sign out. Succeeds without a session too',
    access: anyone,
    reply: Ok,
    errors: [],
    audit: 'account.logout',
    example: { reply: { status: 'okay' } },
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
    summary: 'Update your profile. A new address takes effect when its mailed link is opened (pendingEmailChange)',
    access: may('user:edit', 'self'),
    body: UserPatch,
    reply: User,
    errors: [
      'invalid_username',
      'invalid_email',
      'invalid_team',
      'unexpected_error',
      'too_many_requests',
      'proof_required',
    ],
    audit: 'user.updated-user',
    example: { body: { name: 'Alice Liddell', email: 'alice@example.com' } },
  }),
  'account.changePassword': route({
    method: 'PUT',
    path: '/api/v1/user/change_password',
    summary: 'Change your password. Ends all other sessions',
    // No token may do this: who has only a token must not become who has the account.
    access: whileLocked(signedIn),
    body: z.object({
      old_password: z.string().check(z.maxLength(limits.passwordMax)),
      password: z.string().check(z.maxLength(limits.passwordMax)),
    }),
    reply: Ok,
    errors: ['password_change_failed', 'too_many_requests'],
    audit: 'user.updated-password',
    example: { body: { old_password: 'correct horse', password: 'battery staple' }, reply: { status: 'okay' } },
  }),
  'account.delete': route({
    method: 'DELETE',
    path: '/api/v1/user',
    summary: 'Delete your account. The sole owner of a team and the last administrator are refused',
    access: inBrowser(may('user:delete', 'self')),
    reply: Ok,
    errors: ['unexpected_error', 'proof_required'],
    audit: 'user.deleted',
    example: { reply: { status: 'okay' } },
  }),
}
