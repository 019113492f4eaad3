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

/**
 * Progress of restoring a backup into this new platform. While it is `restoring` the server answers nothing for a time;
 * `refused` says why in `error`, and the file may be tried again with another passphrase.
 */
export const RestoreStatus = z.object({
  phase: z.enum(['none', 'uploaded', 'checking', 'restoring', 'restored', 'refused']),
  /** The size of the file, in bytes. */
  size: z.optional(z.number()),
  error: z.optional(z.string()),
})
export type RestoreStatus = z.infer<typeof RestoreStatus>

const restoring = { access: anyone, reply: RestoreStatus } as const

export const setupRoutes = {
  'setup.restoreStatus': route({
    method: 'GET',
    path: '/api/v1/setup/restore',
    summary: 'Progress of restoring a backup. Authenticated by the token of the one-time link',
    ...restoring,
    errors: ['invalid_setup_token'],
  }),
  'setup.upload': route({
    method: 'PUT',
    path: '/api/v1/setup/restore/file',
    summary: 'Upload a backup to restore. Authenticated by the token of the one-time link',
    ...restoring,
    upload: true,
    errors: ['invalid_setup_token', 'invalid_state'],
  }),
  'setup.restore': route({
    method: 'POST',
    path: '/api/v1/setup/restore',
    summary: 'Restore the uploaded backup. It is verified completely, then replaces this platform',
    ...restoring,
    body: z.object({ token: z.string().check(z.maxLength(128)), passphrase: z.string().check(z.maxLength(1024)) }),
    errors: ['invalid_setup_token', 'invalid_state'],
    audit: 'platform.restored',
    example: { body: { token: '…', passphrase: 'four words of mine' }, reply: { phase: 'checking' } },
  }),
  'setup.complete': route({
    method: 'POST',
    path: '/api/v1/setup',
    summary: 'Claim a new platform with the one-time link. Signs the administrator in',
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
