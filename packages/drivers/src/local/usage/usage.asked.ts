import type { Usage } from '../../driver.ts'
import { readInfo } from '../control/control.client.ts'
import type { Live } from '../process/live.ts'

/**
 * Asks a process that may be on another machine what it uses. While its flows keep it from answering, its last word counts.
 */
export async function askUsage({ record, beat, usage, hungSince }: Live): Promise<Usage | undefined> {
  const { usage: now = usage } = (await readInfo(record).catch(() => undefined)) ?? {}
  return now && { ...now, ...(beat && { eventLoop: beat }), ...(hungSince === undefined ? {} : { hungSince }) }
}
