import { type BodyOf, ModeOfDevice, ModuleName, ModuleVersion, type routes, type Snapshot } from '@app/contract'
import * as z from 'zod/mini'
import type { Actor } from '../../../platform/authz/actor.ts'
import type { Vault } from '../../../platform/crypto.ts'
import type { Database } from '../../../platform/db/database.ts'
import { fail } from '../../../platform/http/failure.ts'
import { type Audit, teamScope } from '../../audit/index.ts'
import { findWhole } from '../../instances/index.ts'
import type { Snapshots } from '../../snapshots/index.ts'
import type { DeviceCommands } from '../commands/device.commands.ts'
import { type DeviceRecords, deviceRef } from '../devices.records.ts'
import { secretContext } from '../devices.secrets.ts'
import { type DeviceRow, lockDevice, updateDevice } from '../devices.store.ts'
import { hasDeveloperMode } from './agent.releases.ts'

export interface DeveloperDependencies {
  database: Database
  audit: Audit
  vault: Vault
  deviceRecords: DeviceRecords
  deviceCommands: DeviceCommands
  snapshots: Pick<Snapshots, 'create'>
}

const events = {
  developer: 'team.device.developer-mode.enabled',
  autonomous: 'team.device.developer-mode.disabled',
} as const
const uploadMs = 10_000

const anyObject = z.looseObject({})
/** Agents send their parts as JSON or as the text of it. */
const part = <Part>(schema: z.ZodMiniType<Part>) =>
  z.pipe(
    z.transform((value: unknown) => (typeof value === 'string' ? jsonOf(value) : value)),
    schema,
  )
const Upload = z.looseObject({
  flows: part(z.array(anyObject)),
  credentials: z.optional(z.nullable(part(anyObject))),
  package: z.optional(
    z.nullable(z.looseObject({ modules: z.optional(z.nullable(z.record(z.string(), z.unknown()))) })),
  ),
})

export type DeviceDeveloper = ReturnType<typeof createDeviceDeveloper>

/** Developer mode of devices, and snapshots of what people have made there. */
export function createDeviceDeveloper(deps: DeveloperDependencies) {
  const { database, audit, vault, deviceRecords, deviceCommands, snapshots } = deps

  /** @throws Failure not_found. */
  async function instanceOf({ instance_id: id }: DeviceRow) {
    const instance = id === null ? undefined : await findWhole(database.read, id)
    if (instance) return instance
    throw fail('invalid_state', 'The device is assigned to no instance, so there is nothing to keep a snapshot in.')
  }

  return {
    /** Tells the agent too; one that is away learns of it when it is back. @throws Failure invalid_mode, agent_outdated. */
    async setMode(actor: Actor, id: string, given: string): Promise<{ mode: DeviceRow['mode'] }> {
      const mode = ModeOfDevice.safeParse(given).data
      if (!mode) throw fail('invalid_mode', undefined, { field: 'mode' })
      await database.transact(async (tx) => {
        const row = await lockDevice(tx, id, database.kind === 'postgres')
        if (!row) throw fail('not_found')
        if (row.mode === mode) return
        if (mode === 'developer' && !hasDeveloperMode(row))
          throw fail(
            'agent_outdated',
            row.agent_version === null
              ? 'The agent of the device has not called yet, so it is not known to have developer mode.'
              : `The agent of the device, ${row.agent_version}, has no developer mode. Update it to release 0.8.0 or newer.`,
          )
        await updateDevice(tx, id, { mode, editor_token_hash: null, editor_connected: 0 })
        await audit.record(tx, actor, events[mode], teamScope(row.team_id), { device: deviceRef(row) })
        await deviceRecords.tell(tx, row)
      })
      return { mode }
    },

    /**
     * Asks the agent for what it runs and keeps it with the instance.
     * @throws Failure invalid_state without an instance or when the agent sends no flows; device_unreachable; and as
     * `Snapshots.create` does.
     */
    async snapshot(
      actor: Actor,
      row: DeviceRow,
      label: BodyOf<(typeof routes)['deviceDeveloper.snapshot']>,
    ): Promise<Snapshot> {
      const instance = await instanceOf(row)
      const { id: deviceId, team_id: teamId } = row
      const answer = Upload.safeParse(
        await deviceCommands.ask({ deviceId, teamId, command: 'upload', payload: {}, waitMs: uploadMs }),
      ).data
      if (!answer)
        throw fail('invalid_state', 'The agent of the device sent no flows. See that they run, and try again.')
      const input = {
        ...label,
        flows: answer.flows,
        credentials: answer.credentials ?? {},
        credentialSecret: vault.open(row.credential_secret, secretContext(deviceId)),
        settings: { modules: installable(answer.package?.modules ?? {}) },
      }
      return snapshots.create(actor, instance, input, deviceRef(row))
    },
  }
}

/** The modules that can be fetched from a registry: agents bring some of their own. */
const installable = (modules: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(modules).flatMap(([name, version]): [string, string][] => {
      const range = ModuleVersion.safeParse(version).data
      return ModuleName.safeParse(name).success && range !== undefined ? [[name, range]] : []
    }),
  )

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
