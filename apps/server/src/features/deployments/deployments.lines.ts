import type { LogEntry } from '@app/contract'
import type { Driver } from '@app/drivers'

/** Number of log lines that are kept of a failed start. */
const linesMax = 20

async function lastLines(driver: Driver, id: string, limit: number): Promise<LogEntry[]> {
  try {
    return await driver.logs(id, { limit })
  } catch {
    return []
  }
}

/** The cursor of the last line of an instance's log; undefined where there is none. */
export const lastLine = async (driver: Driver, id: string): Promise<string | undefined> =>
  (await lastLines(driver, id, 1))[0]?.ts

/** The lines of the start that failed; the last ones of before where it did not come to write any. */
export async function linesSince(driver: Driver, id: string, since: string | undefined): Promise<LogEntry[]> {
  const lines = await lastLines(driver, id, linesMax)
  const own = lines.filter(({ ts }) => since === undefined || BigInt(ts) > BigInt(since))
  return own.length > 0 ? own : lines
}
