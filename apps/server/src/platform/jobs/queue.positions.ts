import type { JobsDependencies } from './jobs.ts'
import { listWaiting } from './jobs.store.ts'

const everyMs = 250
/** Places in one event, so that it fits into a notification of PostgreSQL. */
const most = 60

/** Tells those who wait which of the waiting ones they are, at most four times a second while the queue moves. */
export function announcePositions({ database, bus, log }: JobsDependencies) {
  let lanes: readonly string[] = []
  let timer: NodeJS.Timeout | undefined
  let telling: Promise<void> = Promise.resolve()

  async function publish(): Promise<void> {
    const teams = new Map<string, { subject: string; job: string; place: number }[]>()
    let [lane, place] = ['', 0]
    for (const { id, subject, team_id, lane: its } of await listWaiting(database.read, lanes)) {
      place = its === lane ? place + 1 : 1
      lane = its
      const positions = teams.get(team_id) ?? []
      positions.push({ subject, job: id, place })
      teams.set(team_id, positions)
    }
    if (teams.size === 0) return
    await database.transact(async (tx) => {
      for (const [team, positions] of teams)
        for (let at = 0; at < positions.length; at += most)
          await bus.publish(tx, { type: 'queue', team, places: positions.slice(at, at + most) })
    })
  }

  return {
    /** The waiting jobs of these lanes moved up, or there are more of them. */
    tell(moved: readonly string[]): void {
      lanes = moved
      timer ??= setTimeout(() => {
        timer = undefined
        telling = publish().catch((error: unknown) => log.error({ err: error }, 'queue positions not published'))
      }, everyMs)
    },
    async stop(): Promise<void> {
      clearTimeout(timer)
      await telling
    },
  }
}
