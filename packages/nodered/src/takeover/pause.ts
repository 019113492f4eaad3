import { setImmediate as turn } from 'node:timers/promises'
import type { NodeRed } from '../stack.ts'
import { brokersOf, isReceiving, mute } from './mqtt.ts'

/** Maximum time for messages under way to reach the end of their flow. */
const drainMs = 250
/** Between two nodes a message waits for one turn of the event loop. */
const quietTurns = 3
const hook = 'onReceive.flowforge-pause'

/**
 * Stops the flows of a process that another takes over from: no message is taken from outside any more, those under way
 * are handled, and all nodes are closed. `keep`: subscriptions of the other, for sessions that a broker keeps.
 * @returns since when nothing is handled, in milliseconds since the epoch.
 */
export async function pauseFlows(nodeRed: NodeRed, keep: readonly string[]): Promise<number> {
  const brokers = brokersOf(nodeRed)
  const kept = new Set(keep)
  for (const broker of brokers) mute(broker, kept)
  let isBusy = false
  nodeRed.hooks.add(hook, (_message) => {
    isBusy = true
    return undefined
  })
  const until = Date.now() + drainMs
  for (let quiet = 0; quiet < quietTurns && Date.now() < until; quiet += 1) {
    await turn()
    if (isBusy || brokers.some(isReceiving)) quiet = -1
    isBusy = false
  }
  nodeRed.hooks.remove(hook)
  const since = Date.now()
  await nodeRed.nodes.stopFlows()
  return since
}
