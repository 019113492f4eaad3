import type { Clock } from '../../platform/clock.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Members, TeamRow } from '../teams/index.ts'
import { listInvitations } from './invitations.store.ts'

/** The seats of a team: who is invited has one; nobody else counts them until the transaction ends. */
export function createSeats({ members, clock }: { members: Members; clock: Clock }) {
  return {
    /** @throws Failure invitation_failed when the team cannot take this many more. */
    async refuseFull(tx: Tx, team: TeamRow, more: number): Promise<void> {
      const { members: now, most } = await members.countAlone(tx, team.id)
      if (most === 0) return
      const waiting = (await listInvitations(tx, { teamId: team.id }, clock.now())).length
      if (now + waiting + more > most) throw fail('invitation_failed', `The team is full: it may have ${most} members`)
    },

    /** Is there no seat left for somebody who was invited? */
    async areTaken(tx: Tx, teamId: string): Promise<number | undefined> {
      const { members: now, most } = await members.countAlone(tx, teamId)
      return most > 0 && now >= most ? most : undefined
    },
  }
}
export type Seats = ReturnType<typeof createSeats>
