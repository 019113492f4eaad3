import type { AdminUserPatch } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { defineFeature } from '../../platform/features/feature.ts'
import { userHandlers } from './users.routes.ts'
import { createUsers, type Users } from './users.service.ts'
import { countUsers } from './users.store.ts'
import { figure } from '../../platform/health/figures.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    users: Users
  }
  interface Hooks {
    /** In the transaction in which an administrator or a directory changes somebody's account. */
    'user.changed': (tx: Tx, actor: Actor, userId: string, patch: AdminUserPatch) => Promise<void>
  }
}

export const usersFeature = defineFeature({
  name: 'users',
  provides: { users: createUsers },
  routes: ({ users }) => userHandlers(users),
  figures: async ({ database }) => [
    figure('flowforge_users', 'gauge', 'Accounts.', [[await countUsers(database.read)]]),
  ],
})
