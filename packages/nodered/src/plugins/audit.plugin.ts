import { setTimeout as delay } from 'node:timers/promises'
import type { PlatformClient } from '../platform.client.ts'
import type { NodeRedMessage } from '../stack.ts'

/** A platform that is away for long must not fill the memory of the instance. */
const waitingMax = 1_000

/** The token of the platform for somebody who has this editor open. */
export type TokenOf = (userId: string | undefined) => string | undefined

export interface AuditReporter {
  /** A message of Node-RED's audit log; the ones nobody wants to read later are dropped. */
  handle(message: NodeRedMessage): void
  /** Resolves when all was sent, or after `ms`. */
  drain(ms: number): Promise<void>
}

/** Reports what people do inside Node-RED to the platform, in order, also when the platform restarts in between. */
export function createAuditReporter(
  platform: PlatformClient,
  instanceId: string,
  tokenOf: TokenOf,
  onLost: (reason: string) => void,
): AuditReporter {
  const path = `/logging/${encodeURIComponent(instanceId)}/audit`
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  return {
    handle(message) {
      const event = message.event ?? ''
      if (!isReported(event)) return
      if (waiting >= waitingMax) return onLost(`${event}: too many are waiting`)
      waiting += 1
      const body = reportOf(message)
      const { editorToken } = (message.user ?? {}) as { editorToken?: string }
      last = last
        // Now, as a token may have been renewed while this waited.
        .then(() => platform.call(path, { body: { ...body, ...shown(editorToken ?? tokenOf(body.user)) } }))
        .then(
          () => {},
          (error: Error) => onLost(`${event}: ${error.message}`),
        )
        .finally(() => (waiting -= 1))
    },
    async drain(ms) {
      await Promise.race([last, delay(ms, undefined, { ref: false })])
    },
  }
}

const isReported = (event: string) =>
  event !== '' &&
  !event.startsWith('comms.') &&
  // The state of flows and the settings of libraries are read as well.
  !/\.get(State|Config)?$/.test(event) &&
  (!event.startsWith('auth') || event.startsWith('auth.log'))

/** The part of a report that shows who it is about. */
const shown = (editorToken: string | undefined) => (editorToken === undefined ? {} : { editorToken })

function reportOf({ level: _level, username: _username, user, ...rest }: NodeRedMessage): {
  user?: string
  error?: unknown
} {
  const { userId, localUser } = (user ?? {}) as { userId?: string; localUser?: string }
  const who = { ...(userId ? { user: userId } : {}), ...(localUser ? { localUser } : {}) }
  const body = { timestamp: Date.now(), ...rest, ...who }
  // Errors have no enumerable properties and would arrive as {}.
  return rest.error instanceof Error
    ? { ...body, error: { code: 'unexpected_error', error: rest.error.message } }
    : body
}
