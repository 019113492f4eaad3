import type { PlatformClient } from '../platform.client.ts'
import type { EditorConnection, NodeRed } from '../stack.ts'

/** A page that reloads closes its connection and opens another. */
const settleMs = 500

export interface Presence {
  /** Begins to report. `startedAt`: when this process started Node-RED, in milliseconds. */
  begin(startedAt: number): void
}

/** Tells the platform who has the editor open, after every change. */
export function watchPresence(
  nodeRed: Pick<NodeRed, 'runtime'>,
  platform: PlatformClient,
  instanceId: string,
  onLost: (reason: string) => void,
): Presence {
  const { comms } = nodeRed.runtime
  const connections = new Set<EditorConnection>()
  let startedAt: number | undefined
  let reported = '[]'
  let timer: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  const users = () => {
    const ids = [...connections].flatMap(({ user }) => user?.userId ?? [])
    return [...new Set(ids)].sort()
  }

  function report(): void {
    timer = undefined
    const now = users()
    if (startedAt === undefined || JSON.stringify(now) === reported) return
    reported = JSON.stringify(now)
    const body = { startedAt, users: now }
    last = last
      .then(() => platform.call(`/api/v1/projects/${encodeURIComponent(instanceId)}/editors`, { body }))
      .catch((error: Error) => onLost(error.message))
  }

  function changed(): void {
    timer ??= setTimeout(report, settleMs).unref()
  }

  const add = comms.addConnection.bind(comms)
  const remove = comms.removeConnection.bind(comms)
  comms.addConnection = async (options) => {
    connections.add(options.client)
    changed()
    return add(options)
  }
  comms.removeConnection = async (options) => {
    connections.delete(options.client)
    changed()
    return remove(options)
  }

  return {
    begin(at) {
      startedAt = at
      changed()
    },
  }
}
