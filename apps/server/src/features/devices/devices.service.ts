import {
  allows,
  type Device,
  type DeviceCredentials,
  type DeviceDetails,
  type DevicePatch,
  type DeviceQuery,
  type EnvEntry,
  nodejsOfNodeRed,
} from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Reach } from '../../platform/authz/reach.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import { type ColumnMap, columnsOf, fieldsOf } from '../../platform/db/columns.ts'
import type { Database } from '../../platform/db/database.ts'
import { pageOf } from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import type { ApplicationMembers } from '../application-members/index.ts'
import { type Audit, changes, teamScope } from '../audit/index.ts'
import type { Deployments } from '../deployments/index.ts'
import { settingsUpdates } from '../instance-settings/index.ts'
import type { Addresses, InstanceRow } from '../instances/index.ts'
import type { Snapshots } from '../snapshots/index.ts'
import { insertCode, useCode } from './device-codes.store.ts'
import { countBars, type DevicesOf } from './devices.filter.ts'
import { hashPasswords, nodeRedChange, nodeRedOf } from './devices.nodered.ts'
import { type DeviceRecords, deviceRef, fitting, named } from './devices.records.ts'
import { openEnv, settingsColumns } from './devices.secrets.ts'
import {
  countDevices,
  deleteDevice,
  type DeviceRow,
  findDevice,
  instancesOf,
  listDevices,
  listTargeted,
  lockDevice,
  updateDevice,
} from './devices.store.ts'
import { listTags, replaceTags, tagChanges, tagsOf } from './tags/tags.store.ts'
import { takeoversTo } from './devices.takeover.ts'
import { deviceDetailsView, deviceVariables, deviceView } from './devices.view.ts'

export interface DevicesDependencies {
  deviceRecords: DeviceRecords
  database: Database
  clock: Clock
  audit: Audit
  vault: Vault
  addresses: Addresses
  deployments: Pick<Deployments, 'foreseeOnDevices'>
  snapshots: Pick<Snapshots, 'checkTargetTaken'>
  applicationMembers: Pick<ApplicationMembers, 'roleOfCaller'>
  /** The version of this platform, and so of the agent it serves. */
  version: string
}

declare module '../../platform/http/context.ts' {
  interface Targets {
    /** `isLimited`: the caller has a role in the application of the device, and none in the team. */
    device: { device: DeviceRow; role: number; isLimited: boolean }
  }
}

/** A body that assigns a device changes none of these (DEV-57). */
type Edited = Omit<DevicePatch, 'instance' | 'project' | 'allowStopped'>
// Tags are rows of a table of their own.
const editable: ColumnMap<Edited, DeviceRow> = {
  name: 'name',
  type: 'type',
  takeover: 'takeover',
  nodeRed: null,
  tags: null,
}

export type Devices = ReturnType<typeof createDevices>

/** Devices of teams: machines elsewhere that run what their instance says, by an agent that calls us. */
export function createDevices({
  database,
  deviceRecords,
  clock,
  audit,
  vault,
  addresses,
  deployments,
  snapshots,
  applicationMembers,
  version,
}: DevicesDependencies) {
  const { read } = database
  const { tell, add, renew, recordAssignment } = deviceRecords

  async function find(id: string) {
    const row = await findDevice(read, id)
    if (!row) throw fail('not_found')
    return row
  }
  const get = async (id: string): Promise<DeviceDetails> =>
    deviceDetailsView(await find(id), addresses, { now: clock.now(), version })
  const brief = async (id: string): Promise<Device> => deviceView(await find(id), addresses, clock.now())

  async function page(of: DevicesOf, { cursor, limit, query, search, ...bars }: DeviceQuery) {
    const now = clock.now()
    const filter = { of, text: (query ?? search ?? '').trim(), ...bars, now }
    const { rows, ...list } = await pageOf({ cursor, limit }, async (portion) => ({
      rows: await listDevices(read, filter, portion),
      count: await countDevices(read, filter),
    }))
    return { ...list, devices: rows.map((row) => deviceView(row, addresses, now)) }
  }

  /** Works on a device that nobody else changes meanwhile. @throws Failure not_found. */
  async function change(id: string, work: (tx: Tx, row: DeviceRow) => Promise<void>): Promise<void> {
    await database.transact(async (tx) => {
      const row = await lockDevice(tx, id, database.kind === 'postgres')
      if (!row) throw fail('not_found')
      await work(tx, row)
      await tell(tx, row)
    })
  }

  /** @throws Failure invalid_instance, unauthorized where the caller's role in the application is too low. */
  async function checkTarget(tx: Tx, actor: Actor, applicationId: string): Promise<void> {
    const role = await applicationMembers.roleOfCaller(actor, applicationId, tx)
    if (role === undefined) throw fail('invalid_instance', 'Choose an instance of this team', { field: 'instance' })
    if (!allows(role, 'device:edit'))
      throw fail('unauthorized', 'Your role in that application does not allow this', { status: 403 })
  }

  /**
   * @throws Failure invalid_instance for one that is not of the team; flows_not_started where the flows of the device end
   * and nothing runs in their place, unless `allowStopped` has `nodes`.
   */
  async function assign(actor: Actor, id: string, instanceId: string | null, allowStopped?: string[]): Promise<void> {
    await change(id, async (tx, row) => {
      const found = await instancesOf(tx, [instanceId, row.instance_id])
      const [next, before] = [found.get(instanceId ?? ''), found.get(row.instance_id ?? '')]
      if (instanceId !== null && next?.team_id !== row.team_id)
        throw fail('invalid_instance', 'Choose an instance of this team', { field: 'instance' })
      if (next) await checkTarget(tx, actor, next.application_id)
      if (row.instance_id === (next?.id ?? null)) return
      if (next && row.active_snapshot_id !== null) await snapshots.checkTargetTaken(tx, next.id, allowStopped)
      await updateDevice(tx, id, {
        instance_id: next?.id ?? null,
        // It runs other flows from now on.
        editor_token_hash: null,
        editor_connected: 0,
        updated_at: clock.now(),
      })
      if (before) await recordAssignment(tx, actor, row, before, 'unassigned')
      if (next) await recordAssignment(tx, actor, row, next, 'assigned')
    })
  }

  /** @throws Failure invalid_name, agent_outdated, invalid_request. */
  async function edit(actor: Actor, id: string, patch: Edited): Promise<void> {
    const hashed = patch.nodeRed && (await hashPasswords(patch.nodeRed))
    await change(id, async (tx, row) => {
      const nodeRed = nodeRedChange(row, hashed)
      const columns = { ...columnsOf(patch, editable), ...nodeRed.columns }
      const next = { ...row, ...columns }
      const before = (await tagsOf(tx, [id])).get(id) ?? []
      const tags = patch.tags ? [...new Set(patch.tags)].toSorted() : before
      const updates = [
        ...changes(
          { ...fieldsOf(row, editable), ...nodeRed.before },
          { ...fieldsOf(next, editable), ...nodeRed.after },
        ),
        ...tagChanges(before, tags),
      ]
      if (columns.name !== undefined) named(columns.name)
      if (updates.length === 0) return
      if (patch.tags) await replaceTags(tx, [{ id, team_id: row.team_id, tags }])
      await updateDevice(tx, id, {
        ...columns,
        ...settingsColumns(vault, next, openEnv(vault, row)),
        updated_at: clock.now(),
      })
      const body = { device: { id, name: next.name }, updates }
      await audit.record(tx, actor, 'team.device.updated', teamScope(row.team_id), body)
    })
  }

  return {
    get,
    all: async (query: DeviceQuery) => page('all', query),
    ofTeam: async (teamId: string, reach: Reach, query: DeviceQuery) => page({ teamId, reach }, query),
    ofInstance: async (instanceId: string, query: DeviceQuery) => page({ instanceId }, query),

    charts: async (of: DevicesOf) => countBars(read, of, clock.now()),

    tags: async (teamId: string, reach: Reach) => listTags(read, teamId, reach),

    /** @throws Failure invalid_name, invalid_request. */
    async create(actor: Actor, teamId: string, input: { name: string; type: string }) {
      const wish = { teamId, name: named(input.name), type: fitting('type', input.type), instance: null }
      const { id, credentials } = await database.transact(async (tx) => {
        const made = await add(tx, actor, wish)
        return {
          ...made,
          credentials: { ...made.credentials, otc: await insertCode(tx, made.id, teamId, clock.now()) },
        }
      })
      return { ...(await brief(id)), credentials }
    },

    /**
     * New credentials for the agent that shows a one-time code, which is used up.
     * @throws Failure unauthorized, not_found when the device is gone.
     */
    async setUp(actor: Extract<Actor, { kind: 'setup' }>) {
      const id = actor.deviceId
      const credentials = await database.transact(async (tx) => {
        if (!(await useCode(tx, actor.code, clock.now()))) throw fail('unauthorized')
        const row = await lockDevice(tx, id, database.kind === 'postgres')
        if (!row) throw fail('not_found')
        return renew(tx, actor, row)
      })
      return { ...(await brief(id)), credentials }
    },

    /**
     * A body that assigns does nothing else (DEV-57).
     * @throws Failure not_found, invalid_name, invalid_instance, flows_not_started, agent_outdated.
     */
    async update(
      actor: Actor,
      id: string,
      { instance, project, allowStopped, ...patch }: DevicePatch,
    ): Promise<DeviceDetails> {
      const to = instance === undefined ? project : instance
      await (to === undefined ? edit(actor, id, patch) : assign(actor, id, to, allowStopped))
      return get(id)
    },

    async delete(actor: Actor, id: string): Promise<void> {
      await change(id, async (tx, row) => {
        await deleteDevice(tx, id)
        await audit.record(tx, actor, 'team.device.deleted', teamScope(row.team_id), { device: deviceRef(row) })
      })
    },

    async generateCredentials(actor: Actor, id: string): Promise<DeviceCredentials> {
      return database.transact(async (tx) => {
        const row = await lockDevice(tx, id, database.kind === 'postgres')
        if (!row) throw fail('not_found')
        const credentials = await renew(tx, actor, row)
        return { ...credentials, otc: await insertCode(tx, id, row.team_id, clock.now()) }
      })
    },

    async settings(id: string): Promise<EnvEntry[]> {
      const row = await find(id)
      const own = openEnv(vault, row).map((entry) => (entry.encrypted ? { ...entry, value: '' } : entry))
      return [...deviceVariables(row), ...own]
    },

    async saveSettings(
      actor: Actor,
      id: string,
      input: readonly { name: string; value: string; encrypted?: boolean | undefined }[],
    ): Promise<void> {
      await change(id, async (tx, row) => {
        const before = openEnv(vault, row)
        const env = input.flatMap(({ name, value, encrypted }): EnvEntry[] => {
          if (!encrypted) return [{ name, value }]
          if (value !== '') return [{ name, value, encrypted }]
          return before.filter((entry) => entry.name === name && entry.encrypted)
        })
        const updates = settingsUpdates({ env: before }, { env })
        if (updates.length === 0) return
        await updateDevice(tx, id, { ...settingsColumns(vault, row, env), updated_at: clock.now() })
        const body = { device: deviceRef(row), updates }
        await audit.record(tx, actor, 'team.device.updated', teamScope(row.team_id), body)
      })
    },

    /**
     * Problems known before the devices of an instance run a snapshot of it, and how it would take over.
     * @throws Failure invalid_snapshot.
     */
    async previewTarget(instance: InstanceRow, snapshot: string) {
      const rows = await listTargeted(read, instance.id)
      const targeted = rows.map((row) => ({
        name: row.name,
        // Other agents know neither.
        nodejs:
          row.agent_id === null || row.nodejs_version === null
            ? row.nodejs_version
            : nodejsOfNodeRed(row.nodejs_version),
        nodered: row.agent_id === null ? null : nodeRedOf(row).version,
        variables: new Set(openEnv(vault, row).flatMap(({ name, value }) => (value === '' ? [] : name))),
      }))
      const { foreseen, flows } = await deployments.foreseeOnDevices(instance, snapshot, targeted)
      const others = rows.filter((row) => row.active_snapshot_id !== snapshot)
      return {
        devices: rows.length,
        running: rows.filter((row) => row.active_snapshot_id === snapshot).length,
        foreseen,
        takeovers: await takeoversTo(read, others, flows),
      }
    },
  }
}
