import type { Logger } from 'pino'
import type { Clock } from './clock.ts'
import type { Database } from './db/database.ts'
import type { Db } from './db/tables.ts'

/** Deletes at most so many rows that have had their time, and tells how many. Times are milliseconds. */
export type Sweep = (db: Db, now: number, atMost: number) => Promise<number>

const everyMs = 3_600_000
/** So many rows in one statement keep nobody waiting. */
const batch = 1_000

export type Sweeper = ReturnType<typeof createSweeper>

/** Removes now and then what has had its time: nothing asks for it any more, and it would only pile up. */
export function createSweeper(
  { database, clock, log }: { database: Database; clock: Clock; log: Logger },
  of: Sweep[],
) {
  let timer: NodeJS.Timeout | undefined

  async function sweep(): Promise<void> {
    for (const one of of) while ((await one(database.read, clock.now(), batch)) === batch);
  }

  return {
    sweep,
    start(): void {
      timer = setInterval(() => {
        sweep().catch((error: unknown) => log.warn({ err: error }, 'not everything that expired was removed'))
      }, everyMs).unref()
    },
    stop: (): void => clearInterval(timer),
  }
}
