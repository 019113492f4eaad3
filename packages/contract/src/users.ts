import * as z from 'zod/mini'
import { Email, Password, PersonName, User, Username } from './account.ts'
import { Id, Ok, page, PageMeta, PageQuery, Time } from './primitives.ts'
import { may, orOwn, route } from './route.ts'
import { UserTeam } from './teams.ts'

const UserParams = z.object({ userId: Id })

/** The purposes of a mailed or copied link. */
export const linkPurposes = ['verify', 'reset-password'] as const
export type LinkPurpose = (typeof linkPurposes)[number]

export const AccountLink = z.object({ url: z.string(), expiresAt: Time })
export type AccountLink = z.infer<typeof AccountLink>

/** A user as administrators see them. */
export const AdminUser = z.extend(User, {
  /** Has an authenticator app or a passkey. */
  mfa: z.boolean(),
})
export type AdminUser = z.infer<typeof AdminUser>

/** Somebody whom an administrator makes an account for. Their address counts as verified. */
export const UserCreate = z.object({
  username: Username,
  /** Absent or empty: the user name. */
  name: z.optional(z.union([z.literal(''), PersonName])),
  email: Email,
  password: Password,
  isAdmin: z.optional(z.boolean()),
  /** A team of their own; without it they need an invitation before they can do anything. */
  createDefaultTeam: z.optional(z.boolean()),
  /** They choose another password when they sign in for the first time. */
  password_expired: z.optional(z.boolean()),
})
export type UserCreate = z.infer<typeof UserCreate>

/** The fields of a user that administrators can change, each by itself. */
export const AdminUserPatch = z.partial(
  z.object({
    username: Username,
    /** Empty: the user name. */
    name: z.union([z.literal(''), PersonName]),
    /** Takes effect at once. The former address is notified. */
    email: Email,
    /** Taking the role away ends every session. */
    admin: z.boolean(),
    email_verified: z.boolean(),
    /** Ends every session and token of the user at once. */
    suspended: z.boolean(),
    password_expired: z.literal(true),
    /** Judged by the handler, since a team they are not in has a code of its own (400 invalid_team). */
    defaultTeam: z.nullable(z.string().check(z.maxLength(64))),
  }),
)
export type AdminUserPatch = z.infer<typeof AdminUserPatch>

/** Other people's accounts, for administrators. */
export const userRoutes = {
  'user.list': route({
    method: 'GET',
    path: '/api/v1/users',
    summary: 'All users, oldest first; `query` matches the start of words in name, user name or address',
    access: may('user:list', 'platform'),
    query: PageQuery,
    reply: page('users', AdminUser),
    errors: [],
  }),
  'user.create': route({
    method: 'POST',
    path: '/api/v1/users',
    summary: 'Create a user',
    access: may('user:create', 'platform'),
    body: UserCreate,
    reply: AdminUser,
    errors: ['invalid_username', 'invalid_email', 'invalid_request'],
    audit: 'users.created-user',
    example: {
      body: { username: 'bob', email: 'bob@example.com', password: 'correct horse', createDefaultTeam: true },
    },
  }),
  'user.get': route({
    method: 'GET',
    path: '/api/v1/users/:userId',
    summary: 'One user',
    access: orOwn(may('user:read', 'platform')),
    params: UserParams,
    reply: AdminUser,
    errors: [],
  }),
  'user.teams': route({
    method: 'GET',
    path: '/api/v1/users/:userId/teams',
    summary: 'Teams of a user, with the role in each',
    access: orOwn(may('user:team:list', 'platform')),
    params: UserParams,
    reply: z.object({ meta: PageMeta, count: z.number(), teams: z.array(UserTeam) }),
    errors: [],
  }),
  'user.update': route({
    method: 'PUT',
    path: '/api/v1/users/:userId',
    summary: 'Update a user: names, role, verified address, suspension, expired password',
    access: may('user:edit', 'platform'),
    params: UserParams,
    body: AdminUserPatch,
    reply: AdminUser,
    errors: [
      'invalid_request',
      'invalid_username',
      'invalid_email',
      'invalid_team',
      'unexpected_error',
      'proof_required',
    ],
    audit: 'users.updated-user',
    example: { body: { suspended: true } },
  }),
  'user.delete': route({
    method: 'DELETE',
    path: '/api/v1/users/:userId',
    summary: 'Delete a user. The sole owner of a team, the last administrator and yourself are refused',
    access: may('user:delete', 'platform'),
    params: UserParams,
    reply: Ok,
    errors: ['invalid_request', 'unexpected_error'],
    audit: 'users.deleted-user',
    example: { reply: { status: 'okay' } },
  }),
  'user.endSessions': route({
    method: 'DELETE',
    path: '/api/v1/users/:userId/sessions',
    summary: 'End all sessions of a user, including editor sessions. Refused for yourself',
    access: may('user:edit', 'platform'),
    params: UserParams,
    reply: Ok,
    errors: ['invalid_request'],
    audit: 'users.sessions-ended',
    example: { reply: { status: 'okay' } },
  }),
  'user.makeLink': route({
    method: 'POST',
    path: '/api/v1/users/:userId/links',
    summary:
      'Create the link that a mail would contain, to hand over in person. It is shown once and replaces earlier ones',
    access: may('user:edit', 'platform'),
    params: UserParams,
    body: z.object({ purpose: z.enum(linkPurposes) }),
    reply: AccountLink,
    errors: ['invalid_request'],
    audit: 'users.link-created',
    example: { body: { purpose: 'reset-password' } },
  }),
}
