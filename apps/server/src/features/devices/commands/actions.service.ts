import type { DeviceAction } from '@app/contract'
import * as z from 'zod/mini'
import type { Actor } from '../../../platform/authz/actor.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/database.ts'
import { fail } from '../../../platform/http/failure.ts'
import { type Audit, teamScope } from '../../audit/index.ts'
import { type DeviceRecords, deviceRef } from '../devices.records.ts'
import { type DeviceRow, updateDevice } from '../devices.store.ts'
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

  return {
    /**
     * Nothing is recorded unless the agent says that it was done.
     * @throws Failure device_unreachable, agent_outdated, invalid_state with the sentence of the agent.
     */
    async act(actor: Actor, row: DeviceRow, action: DeviceAction): Promise<void> {
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
      if (!answer?.success)
        throw fail('invalid_state', `The device did not ${action}. ${reasonOf(answer?.error)}`.trim())
      await database.transact(async (tx) => {
        await updateDevice(tx, id, { target_state: action === 'suspend' ? 'suspended' : 'running' })
        await audit.record(tx, actor, events[action], teamScope(teamId), { device: deviceRef(row) })
        await deviceRecords.tell(tx, row)
      })
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
