import * as z from 'zod/mini'
import { User } from './account.ts'
import { Id, Time } from './primitives.ts'
import { may, route } from './route.ts'

const UserParams = z.object({ userId: Id })

/** What a handed-over link is for. */
export const linkPurposes = ['verify', 'reset-password'] as const
export type LinkPurpose = (typeof linkPurposes)[number]

export const AccountLink = z.object({ url: z.string(), expiresAt: Time })
export type AccountLink = z.infer<typeof AccountLink>

/** Other people's accounts, for administrators. */
export const userRoutes = {
  'user.update': route({
    method: 'PUT',
    path: '/api/v1/users/:userId',
    summary: 'Suspend a user, make them change their password, or set whether their address counts as verified',
    access: may('user:edit', 'platform'),
    params: UserParams,
    body: z.partial(
      z.object({
        /** Ends every session and token of the user at once. */
        suspended: z.boolean(),
        password_expired: z.literal(true),
        email_verified: z.boolean(),
      }),
    ),
    reply: User,
    errors: ['invalid_request'],
    audit: 'users.updated-user',
    example: { body: { suspended: true } },
  }),
  'user.makeLink': route({
    method: 'POST',
    path: '/api/v1/users/:userId/links',
    summary:
      'Make the link that a mail would bring, to hand it over by another way; it shows once and replaces former ones',
    access: may('user:edit', 'platform'),
    params: UserParams,
    body: z.object({ purpose: z.enum(linkPurposes) }),
    reply: AccountLink,
    errors: ['invalid_request'],
    audit: 'users.link-created',
    example: { body: { purpose: 'reset-password' } },
  }),
}
