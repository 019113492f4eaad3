import type { DeviceRow } from '../devices.store.ts'

type Agent = Pick<DeviceRow, 'agent_id' | 'agent_version'>

/** Agents of this platform, which say which installation they are, count as newer than all others. */
function isFrom(least: readonly [number, number, number], { agent_id, agent_version }: Agent): boolean {
  if (agent_id !== null) return true
  const found = /^v?(\d+)\.(\d+)\.(\d+)/.exec(agent_version ?? '')
  if (!found) return false
  const differing = least.findIndex((number, at) => Number(found[at + 1]) !== number)
  return differing === -1 || Number(found[differing + 1]) > least[differing]!
}

/** Does this agent take and send that a WebSocket through its tunnel ended? */
export const tellsEnds = (agent: Agent): boolean => isFrom([2, 0, 0], agent)

/** Does this agent take bytes that are no text through its tunnel? Those of the installed base take text. */
export const takesBytes = ({ agent_id }: Agent): boolean => agent_id !== null

/** Does this agent open a tunnel for its editor (DMODE-11)? */
export const hasEditor = (agent: Agent): boolean => isFrom([0, 6, 2], agent)

/** Does this agent have developer mode (DMODE-10)? */
export const hasDeveloperMode = (agent: Agent): boolean => isFrom([0, 8, 0], agent)
