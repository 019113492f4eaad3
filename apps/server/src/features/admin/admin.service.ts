import type { Stats } from '@app/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { countAll } from './admin.store.ts'

export type Administration = ReturnType<typeof createAdministration>

/** What administrators see of the platform as a whole. */
export function createAdministration({ database, clock }: { database: Database; clock: Clock }) {
  return {
    /** How much there is; nothing is limited. */
    async stats(): Promise<Stats> {
      const { counts, states } = await countAll(database.read, clock.now())
      return {
        userCount: counts.users,
        maxUsers: null,
        adminCount: counts.admins,
        inviteCount: counts.invitations,
        teamCount: counts.teams,
        maxTeams: null,
        instanceCount: Object.values(states).reduce((sum, n) => sum + n, 0),
        maxInstances: null,
        instancesByState: states,
        deviceCount: 0,
        maxDevices: null,
      }
    },
  }
}
