import type { BulkResult, DeviceAction } from '@app/contract'
import * as z from 'zod/mini'
import type { Actor } from '../../../platform/authz/actor.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/database.ts'
import { Failure, fail } from '../../../platform/http/failure.ts'
import { type Audit, teamScope } from '../../audit/index.ts'
import { type DeviceRecords, deviceRef } from '../devices.records.ts'
import { unknownDevice } from '../devices.bulk.ts'
import { type DeviceRow, findOfTeam, updateDevices } from '../devices.store.ts'
import { isSilent } from '../devices.view.ts'
import type { DeviceCommands } from './device.commands.ts'

export interface DeviceActionsDependencies {
  database: Database
  clock: Clock
  audit: Audit
  deviceRecords: DeviceRecords
  deviceCommands: DeviceCommands
}

const events = {
  start: 'team.device.started',
  restart: 'team.device.restarted',
  suspend: 'team.device.suspended',
} as const
/** Agents answer once Node-RED has been told. */
const waitMs = 10_000
/** The first release of `@flowfuse/device-agent` that is known to take actions. */
const firstRelease = 4

const Answer = z.looseObject({ success: z.boolean(), error: z.optional(z.unknown()) })

export type DeviceActions = ReturnType<typeof createDeviceActions>

/** Starts, restarts and suspends the flows of devices. */
export function createDeviceActions(deps: DeviceActionsDependencies) {
  const { database, clock, audit, deviceRecords, deviceCommands } = deps

  /** @throws Failure device_unreachable, agent_outdated, invalid_state with the sentence of the agent. */
  async function tellAgent(row: DeviceRow, action: DeviceAction): Promise<void> {
    const { id, team_id: teamId, last_seen_at: seen } = row
    if (isSilent(seen, clock.now()))
      throw fail(
        'device_unreachable',
        `The device is offline, so it cannot be told to ${action}. Try again when it is back.`,
      )
    if (!takesActions(row))
      throw fail(
        'agent_outdated',
        `The agent of the device, ${row.agent_version ?? 'of an unknown version'}, cannot be told to ${action}. Update it to release ${firstRelease} or newer.`,
      )
    const answer = Answer.safeParse(
      await deviceCommands.ask({ deviceId: id, teamId, command: 'action', payload: { action }, waitMs }),
    ).data
    if (!answer?.success) throw fail('invalid_state', `The device did not ${action}. ${reasonOf(answer?.error)}`.trim())
  }

  /** Records what the agents of these devices have done. */
  async function record(actor: Actor, rows: DeviceRow[], action: DeviceAction): Promise<void> {
    const [first] = rows
    if (!first) return
    await database.transact(async (tx) => {
      await updateDevices(
        tx,
        rows.map(({ id }) => id),
        { target_state: action === 'suspend' ? 'suspended' : 'running' },
      )
      for (const row of rows)
        await audit.record(tx, actor, events[action], teamScope(row.team_id), { device: deviceRef(row) })
      await deviceRecords.tell(tx, first, rows)
    })
  }

  return {
    /**
     * Nothing is recorded unless the agent says that it was done.
     * @throws Failure device_unreachable, agent_outdated, invalid_state with the sentence of the agent.
     */
    async act(actor: Actor, row: DeviceRow, action: DeviceAction): Promise<void> {
      await tellAgent(row, action)
      await record(actor, [row], action)
    },

    /**
     * Restarts the flows of devices, all at once: an agent that is silent keeps no other waiting. Suspended flows stay
     * suspended, since a person wanted them so.
     */
    async restartMany(actor: Actor, teamId: string, ids: readonly string[]): Promise<BulkResult> {
      const chosen = [...new Set(ids)]
      const rows = new Map((await findOfTeam(database.read, teamId, chosen)).map((row) => [row.id, row]))
      const told: DeviceRow[] = []
      const refused = new Map<string, BulkResult['refused'][number]>()
      const faults: unknown[] = []
      await Promise.all(
        [...rows.values()].map(async (row) => {
          try {
            if (row.status === 'suspended' || row.target_state === 'suspended')
              throw fail('invalid_state', 'Its flows are suspended. Start them instead.')
            await tellAgent(row, 'restart')
            told.push(row)
          } catch (error) {
            if (!(error instanceof Failure)) faults.push(error)
            else refused.set(row.id, { id: row.id, name: row.name, code: error.code, error: error.message })
          }
        }),
      )
      // Restarts that were done are recorded, whatever went wrong with another.
      await record(actor, told, 'restart')
      if (faults.length > 0) throw new Error('a device was not told to restart', { cause: faults[0] })
      return {
        done: chosen.filter((id) => rows.has(id) && !refused.has(id)),
        refused: chosen.flatMap((id) => refused.get(id) ?? (rows.has(id) ? [] : unknownDevice(id))),
      }
    },
  }
}

/** Agents of this platform say which installation they are. */
const takesActions = ({ agent_id, agent_version }: DeviceRow): boolean =>
  agent_id !== null || Number.parseInt(agent_version ?? '', 10) >= firstRelease

function reasonOf(error: unknown): string {
  const text = typeof error === 'string' ? error : ((error ?? {}) as { error?: unknown }).error
  return typeof text === 'string' ? text.slice(0, 500) : ''
}
