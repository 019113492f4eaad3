import { endlessOf } from '@app/contract/flows-places'
import type { NodeRed } from './stack.ts'

/** The code of a deploy that is refused since Node-RED would not come to an end of it. */
export const endlessFlows = 'endless_flows'

/**
 * Keeps Node-RED from starting flows that would hang it, or take all memory. They are there, stopped, to be mended in the editor;
 * Node-RED's own event says why. A deploy of such flows is refused: the editor makes none, and imports them.
 */
export function refuseEndless({ nodes, runtime, events }: NodeRed): void {
  let isRefused = false
  const start = nodes.startFlows.bind(nodes)
  nodes.startFlows = async (type) => {
    const endless = endlessOf(nodes.getFlows()?.flows ?? [])
    isRefused = endless !== undefined
    if (!endless) return start(type)
    const { reason: error, sentence } = endless
    const payload = { state: 'stop', error, type: 'error', text: `${sentence} The flows are stopped.` }
    events.emit('runtime-event', { id: 'runtime-state', payload, retain: true })
  }

  const { flows: api } = runtime
  const setFlows = api.setFlows.bind(api)
  api.setFlows = async (options) => {
    // Without flows those that are there are started anew.
    const endless = endlessOf(options.flows?.flows ?? nodes.getFlows()?.flows ?? [])
    if (endless)
      throw Object.assign(new Error(`${endless.sentence} Nothing was deployed.`), { code: endlessFlows, status: 400 })
    const answer = await setFlows(options)
    // Node-RED takes them for stopped by a person, and only saves what is deployed.
    if (isRefused) await nodes.startFlows('full')
    return answer
  }
}
