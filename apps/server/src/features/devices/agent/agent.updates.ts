import { AgentOrder, AgentUpdate, AgentUpdater, type DeviceDetails, type DeviceReport, Time } from '@app/contract'
import { gt, valid } from 'semver'
import * as z from 'zod/mini'
import type { Actor } from '../../../platform/authz/actor.ts'
import { type Clock, iso } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/database.ts'
import { jsonColumn } from '../../../platform/db/json.ts'
import { fail } from '../../../platform/http/failure.ts'
import { newId } from '../../../platform/ids.ts'
import { type Audit, teamScope } from '../../audit/index.ts'
import { type DeviceRecords, deviceRef } from '../devices.records.ts'
import { type DeviceRow, lockDevice, updateDevice } from '../devices.store.ts'
import type { AgentPackage } from './agent.package.ts'

const OrderColumn = z.extend(AgentOrder, { orderedAt: Time })
const readOrder = jsonColumn('devices.agent_order', OrderColumn)
const readUpdate = jsonColumn('devices.agent_update', z.extend(AgentUpdate, { reportedAt: Time }))

type Columns = Pick<
  DeviceRow,
  'id' | 'agent_id' | 'agent_version' | 'agent_updater' | 'agent_order' | 'agent_update' | 'last_seen_at'
>

/** The order that the agent of a device has not answered yet, as its agent is told it. */
export function orderFor(row: Pick<Columns, 'id' | 'agent_order'>): AgentOrder | undefined {
  if (row.agent_order === null) return undefined
  const { orderedAt: _orderedAt, ...order } = readOrder(row.agent_order, row.id)
  return order
}

/** The columns for what an agent says of its updates. Its answer ends the order. */
export function updateReported(row: Columns, { updater, agentUpdate }: DeviceReport, now: number) {
  const { agent_order, agent_update, agent_updater } = row
  const known = agent_update === null ? undefined : readUpdate(agent_update, row.id).id
  const isNews = agentUpdate !== undefined && agentUpdate.id !== known
  return {
    agent_updater: AgentUpdater.safeParse(updater).data ?? agent_updater,
    agent_order: agentUpdate !== undefined && orderFor(row)?.id === agentUpdate.id ? null : agent_order,
    agent_update: isNews ? JSON.stringify({ ...agentUpdate, reportedAt: iso(now) }) : agent_update,
  }
}

/** Agents from before updates were made by the installer, and so are their updates. */
const updaterOf = ({ agent_id, agent_updater }: Columns): AgentUpdater | null =>
  agent_id === null ? null : (AgentUpdater.safeParse(agent_updater).data ?? 'installer')

const isNewer = (served: string, { agent_version }: Columns): boolean =>
  valid(served) !== null && valid(agent_version) !== null && gt(served, agent_version!)

/** `served`: the version of the agent that this platform has. */
export function agentUpdateView(row: Columns, served: string): DeviceDetails['agentUpdate'] {
  const updater = updaterOf(row)
  const order = row.agent_order === null ? undefined : readOrder(row.agent_order, row.id)
  return {
    updater,
    available: updater !== null && isNewer(served, row) ? served : null,
    ordered: order ? { version: order.version, orderedAt: order.orderedAt } : null,
    last: row.agent_update === null ? null : readUpdate(row.agent_update, row.id),
  }
}

/** Why the agent of a device cannot be told to update itself; undefined: it can. */
function obstacleTo(served: string, row: Columns): string | undefined {
  if (row.last_seen_at === null) return 'The agent of the device has not called yet.'
  const updater = updaterOf(row)
  if (updater === null) return 'The device runs another agent than flowforge-agent. Update it as its maker says.'
  if (updater === 'image') return 'The agent runs in a container. Start a newer image in its place, on the same volume.'
  if (updater === 'installer')
    return 'The agent does not run as a service of the installer, so it cannot update itself. Run the line of Add Device on the device again.'
  if (!isNewer(served, row)) return `The device has version ${row.agent_version}, and this platform serves ${served}.`
  return undefined
}

export interface AgentUpdatesDependencies {
  database: Database
  clock: Clock
  audit: Audit
  agentPackage: AgentPackage
  deviceRecords: DeviceRecords
  /** The version of the agent that this platform serves is its own. */
  version: string
}

export type AgentUpdates = ReturnType<typeof createAgentUpdates>

/** Orders to the agents of devices to become the version that this platform serves. */
export function createAgentUpdates(deps: AgentUpdatesDependencies) {
  const { database, clock, audit, agentPackage, deviceRecords, version } = deps

  function check(row: DeviceRow): void {
    const obstacle = obstacleTo(version, row)
    if (obstacle !== undefined) throw fail('invalid_state', obstacle)
  }

  return {
    /** An order takes the place of one that was not answered. @throws Failure not_found, invalid_state with the reason. */
    async order(actor: Actor, seen: DeviceRow): Promise<void> {
      const { id } = seen
      // The package is made when it is first asked for, which takes a while.
      check(seen)
      const served = await agentPackage.file()
      if (!served) throw fail('invalid_state', 'The agent is not built on this server. Run `npm run build`.')
      await database.transact(async (tx) => {
        const row = await lockDevice(tx, id, database.kind === 'postgres')
        if (!row) throw fail('not_found')
        check(row)
        const order = { id: newId(), version, sha256: served.sha256, orderedAt: iso(clock.now()) }
        await updateDevice(tx, id, { agent_order: JSON.stringify(order) })
        const info = { from: row.agent_version, version }
        await audit.record(tx, actor, 'team.device.agent.update-requested', teamScope(row.team_id), {
          device: deviceRef(row),
          info,
        })
        await deviceRecords.tell(tx, row)
      })
    },
  }
}
