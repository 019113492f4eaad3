import { nodesIn } from '../flows/index.ts'
import { FlowsOpens, type TakeoverPlan } from '@app/contract'
import { takeoverOf } from '@app/drivers/judging'
import { readBlobs } from '../../platform/blobs/blobs.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import type { Db } from '../../platform/db/tables.ts'
import type { TargetedRow } from './devices.store.ts'

/** The flows of so many snapshots are read to tell how another takes over from them: those that most devices run. */
const readMost = 50
const namesMost = 5

const readOpens = jsonColumn('devices.opens', FlowsOpens)
const otherAgent: TakeoverPlan = { way: 'restart', why: 'The agent stops the old flows first.' }

/** Takeover plan of a target, with the devices to which it applies. */
export type TargetTakeover = TakeoverPlan & { devices: number; names: string[] }

/**
 * Takeover plans of a target with these flows, on devices that run others; the way of most devices first. Those on
 * which nothing runs are left out.
 */
export async function takeoversTo(db: Db, rows: readonly TargetedRow[], flows: string): Promise<TargetTakeover[]> {
  const serving = rows.filter(({ status }) => status === 'running' || status === 'safe')
  const byFlows = Map.groupBy(
    serving.filter(({ agent_id }) => agent_id !== null),
    ({ flows_hash }) => flows_hash,
  )
  const most = [...byFlows].toSorted(([, one], [, other]) => other.length - one.length).slice(0, readMost)
  const texts = await readBlobs(
    db,
    most.flatMap(([hash]) => hash ?? []),
  )
  const after = nodesIn(flows)
  const plans = new Map(serving.filter(({ agent_id }) => agent_id === null).map((row) => [row, otherAgent] as const))
  for (const [hash, devices] of most) {
    const text = texts.get(hash ?? '')
    if (text === undefined) continue
    const before = nodesIn(text)
    // Most devices with the same flows have the same open.
    for (const same of Map.groupBy(devices, ({ takeover, opens }) => `${takeover} ${opens}`).values()) {
      const { id, takeover: setting, opens } = same[0]!
      const open = opens === null ? undefined : readOpens(opens, id)
      const plan = takeoverOf({ setting, before, after, opens: open })
      for (const row of same) plans.set(row, plan)
    }
  }
  const ways = Map.groupBy([...plans], ([, { way, why }]) => `${way} ${why}`)
  return [...ways.values()]
    .toSorted((one, other) => other.length - one.length)
    .map((same) => {
      const { way, why } = same[0]![1]
      return { way, why, devices: same.length, names: same.slice(0, namesMost).map(([{ name }]) => name) }
    })
}
