import * as z from 'zod/mini'
import { Email, Password, PersonName, Username } from './account.ts'
import { Id } from './primitives.ts'
import { anyone, route } from './route.ts'
import { TeamName } from './teams.ts'

export const SetupBody = z.object({
  token: z.string().check(z.maxLength(128)),
  username: Username,
  name: z.optional(PersonName),
  email: Email,
  password: Password,
  /** A first team to begin with, and whether it gets an application with a sample instance. */
  team: z.optional(z.object({ name: TeamName, sample: z.boolean() })),
})
export type SetupBody = z.infer<typeof SetupBody>

export const SetupReply = z.object({
  team: z.optional(z.object({ id: Id, slug: z.string() })),
  instance: z.optional(z.object({ id: Id, name: z.string() })),
})
export type SetupReply = z.infer<typeof SetupReply>

export const setupRoutes = {
  'setup.complete': route({
    method: 'POST',
    path: '/api/v1/setup',
    summary: 'Claim a new platform with the one-time link; signs the administrator in',
    access: anyone,
    body: SetupBody,
    reply: SetupReply,
    errors: ['invalid_setup_token', 'invalid_username'],
    audit: 'platform.setup.completed',
    example: {
      body: {
        token: '…',
        username: 'alice',
        email: 'alice@example.com',
        password: 'correct horse',
        team: { name: 'Example Bakery', sample: true },
      },
    },
  }),
}
