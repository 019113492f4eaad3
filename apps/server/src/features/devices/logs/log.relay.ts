import { DeviceLogEntry, logEnds, type LogEnd } from '@app/contract'
import type { Logger } from 'pino'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Database } from '../../../platform/db/database.ts'
import type { Bus } from '../../../platform/events/bus.ts'
import { newId } from '../../../platform/ids.ts'

/** The answer to a server that begins to watch has `to`; the rest is for all that watch the device. */
const Relayed = z.object({
  device: z.string(),
  to: z.optional(z.string()),
  lines: z.optional(z.array(DeviceLogEntry)),
  /** Whether the agent has sent anything yet. */
  isAnswered: z.optional(z.boolean()),
  end: z.optional(z.enum(Object.keys(logEnds) as LogEnd[])),
})
export type Relayed = z.infer<typeof Relayed>

declare module '../../../platform/events/bus.ts' {
  interface ServerEvents {
    /** A server begins to watch the log of a device, or has ended. */
    deviceLogWatch: { device: string; server: string }
    /** A part of what is relayed, since an event has a largest size. */
    deviceLogPart: { id: string; n: number; of: number; text: string }
  }
}

/** Bytes of a part, which travels as base64. */
const partBytes = 5_400
/** Lines of a device that may wait while the database is slow; then the oldest are left out, which is said. */
const waitingMost = 2_000
const againMs = 1_000

interface RelayDependencies {
  database: Database
  bus: Bus
  log: Logger
}

/** Sends lines to other servers, in their order, by notifications of the database. */
export function createRelay({ database, bus, log }: RelayDependencies) {
  let waiting: Relayed[] = []
  let isSending = false

  async function send(messages: readonly Relayed[]): Promise<void> {
    await database.transact(async (tx) => {
      for (const message of messages) {
        const bytes = Buffer.from(JSON.stringify(message))
        const [id, of] = [newId(), Math.ceil(bytes.length / partBytes)]
        for (let n = 0; n < of; n += 1) {
          const text = bytes.toString('base64', n * partBytes, (n + 1) * partBytes)
          await bus.publish(tx, { type: 'deviceLogPart', id, n, of, text })
        }
      }
    })
  }

  async function work(): Promise<void> {
    if (isSending) return
    isSending = true
    while (waiting.length > 0) {
      const messages = waiting
      waiting = []
      await send(messages).catch(async (error: unknown) => {
        log.warn({ err: error }, 'lines of a device were not relayed yet')
        waiting = [...messages, ...waiting]
        await delay(againMs, undefined, { ref: false })
      })
    }
    isSending = false
  }

  return {
    /** Adds a message. Lines that come while others are under way go together. */
    add(message: Relayed): void {
      const last = waiting.findLast(({ device }) => device === message.device)
      const before = last?.to === undefined && last?.end === undefined ? last?.lines : undefined
      if (last && before && message.lines && message.to === undefined)
        last.lines = bounded([...before, ...message.lines])
      else waiting.push(message)
      void work()
    },
    close: (): void => void (waiting = []),
  }
}

function bounded(lines: DeviceLogEntry[]): DeviceLogEntry[] {
  const more = lines.length - waitingMost
  if (more <= 0) return lines
  const [first, ...rest] = lines.slice(more)
  return [{ ts: first!.ts, level: 'warn', msg: `${more + 1} lines left out: they came too fast` }, ...rest]
}

/** Puts parts together again. */
export function createAssembly() {
  const known = new Map<string, string[]>()
  return {
    /** The whole, once its last part is there. */
    take({ id, n, of, text }: { id: string; n: number; of: number; text: string }): Relayed | undefined {
      const parts = n === 0 ? [] : known.get(id)
      // Its beginning came before this server listened.
      if (!parts) return undefined
      known.set(id, parts)
      parts.push(text)
      if (n < of - 1) return undefined
      known.delete(id)
      const bytes = Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')))
      // A server of another version may say more than this one knows.
      return Relayed.safeParse(JSON.parse(bytes.toString())).data
    },
    clear: (): void => known.clear(),
  }
}
