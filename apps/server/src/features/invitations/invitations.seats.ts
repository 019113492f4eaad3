import { counted } from '../../platform/counted.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Quotas } from '../team-types/index.ts'
import type { TeamRow } from '../teams/index.ts'

/** The seats of a team: who is invited has one; nobody else counts them until the transaction ends. */
export function createSeats({ quotas }: { quotas: Pick<Quotas, 'seats'> }) {
  return {
    /** @throws Failure invitation_failed when the team cannot take this many more. */
    async refuseFull(tx: Tx, team: TeamRow, more: number): Promise<void> {
      const seats = await quotas.seats(tx, team.id)
      if (seats && seats.members + seats.invited + more > seats.most)
        throw fail('invitation_failed', `The team is full: it may have ${counted(seats.most, 'member')}`)
    },

    /** Is there no seat left for somebody who was invited? */
    async areTaken(tx: Tx, teamId: string): Promise<number | undefined> {
      const seats = await quotas.seats(tx, teamId)
      return seats && seats.members >= seats.most ? seats.most : undefined
    },
  }
}
export type Seats = ReturnType<typeof createSeats>
