import { EventReport } from '@app/contract/reported-events'
import { writeWhole } from '@app/drivers/local'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Log } from '../agent.log.ts'
import type { PlatformLink } from '../link/platform.link.ts'

/** Events that wait for the platform; further ones are lost, and the log says so. */
const most = { events: 1_000, characters: 256 * 1024 }

const Waiting = z.array(z.looseObject({ reportId: z.string(), event: z.string() }))
type Waiting = z.infer<typeof Waiting>

interface QueueDependencies {
  dir: string
  link: Pick<PlatformLink, 'event'>
  log: Log
}

export type AuditQueue = ReturnType<typeof createAuditQueue>

/** The events of Node-RED for the audit log of this device, on disk until the platform has them. */
export function createAuditQueue({ dir, link, log }: QueueDependencies) {
  const file = join(dir, 'audit.json')
  let waiting = read()
  let sending: Promise<void> | undefined
  let isFull = false

  function read(): Waiting {
    try {
      return Waiting.parse(JSON.parse(readFileSync(file, 'utf8')))
    } catch {
      return []
    }
  }

  function keep(next: Waiting): void {
    waiting = next
    try {
      writeWhole(file, JSON.stringify(next))
    } catch (error) {
      // They wait in memory.
      log.warn(`Events for the audit log are not on disk: ${(error as Error).message}`)
    }
  }

  async function sendAll(): Promise<void> {
    for (let [first] = waiting; first; [first] = waiting) {
      if (!(await link.event(first))) log.warn(`The platform does not take the event ${first.event} for the audit log`)
      keep(waiting.filter((one) => one !== first))
    }
  }

  return {
    /** Takes an event of Node-RED. False where it is none. */
    add(given: unknown): boolean {
      const report = EventReport.safeParse(given).data
      if (!report) return false
      const next = [...waiting, { ...report, reportId: randomUUID() }]
      const fits = next.length <= most.events && JSON.stringify(next).length <= most.characters
      if (fits) keep(next)
      else if (!isFull) log.error('Too many events wait for the audit log; those that come now are lost')
      isFull = !fits
      return true
    },
    /** Sends those that wait, unless that goes on already. Those that the platform does not get now wait on. */
    send(): void {
      sending ??= sendAll()
        .catch(() => {})
        .finally(() => (sending = undefined))
    },
  }
}
