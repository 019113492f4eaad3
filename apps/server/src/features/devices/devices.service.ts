import {
  type Device,
  type DeviceCredentials,
  type DevicePatch,
  type DeviceQuery,
  type EnvEntry,
  limits,
} from '@app/contract'
import { randomBytes } from 'node:crypto'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashToken, newToken, type Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { type Audit, changes } from '../audit/index.ts'
import type { Deployments } from '../deployments/index.ts'
import { type Addresses, instanceRef, type InstanceRow, settingsUpdates } from '../instances/index.ts'
import { openEnv, secretContext, settingsColumns } from './devices.secrets.ts'
import {
  countDevices,
  deleteDevice,
  type DevicePage,
  type DeviceRow,
  findByToken,
  findDevice,
  insertDevice,
  instancesOf,
  listDevices,
  listTargeted,
  lockDevice,
  updateDevice,
} from './devices.store.ts'
import { deviceVariables, deviceView } from './devices.view.ts'

export interface DevicesDependencies {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
  vault: Vault
  addresses: Addresses
  deployments: Pick<Deployments, 'foreseeOnDevices'>
}

declare module '../../platform/http/context.ts' {
  interface Targets {
    device: { device: DeviceRow; role: number }
  }
}

export type Devices = ReturnType<typeof createDevices>

export const deviceRef = ({ id, name }: Pick<DeviceRow, 'id' | 'name'>) => ({ id, name })

/** @throws Failure invalid_name for one that is empty or cannot be kept. */
function named(name: string): string {
  if (name === '' || name.includes('\0')) throw fail('invalid_name', 'A device needs a name', { field: 'name' })
  return name
}

/** Devices of teams: machines elsewhere that run what their instance says, by an agent that calls us. */
export function createDevices({ database, bus, clock, audit, vault, addresses, deployments }: DevicesDependencies) {
  const { read } = database
  const placeOf = (teamId: string) => ({ type: 'team' as const, id: teamId, team: teamId })
  const tell = async (tx: Tx, { id, team_id: team }: Pick<DeviceRow, 'id' | 'team_id'>) =>
    bus.publish(tx, { type: 'device', team, id })

  async function get(id: string): Promise<Device> {
    const row = await findDevice(read, id)
    if (!row) throw fail('not_found')
    return deviceView(row, addresses, clock.now())
  }

  async function page(of: DevicePage['of'], { cursor, limit = limits.pageMax, query, search }: DeviceQuery) {
    const text = (query ?? search ?? '').trim()
    const rows = await listDevices(read, { of, cursor, limit, text })
    const now = clock.now()
    return {
      meta: rows.length === limit ? { next_cursor: rows.at(-1)!.id } : {},
      count: await countDevices(read, { of, text }),
      devices: rows.map((row) => deviceView(row, addresses, now)),
    }
  }

  /** New ones for a device, and the columns that know them. */
  function credentialsFor(id: string) {
    const credentials: DeviceCredentials = {
      token: newToken('ffd'),
      credentialSecret: randomBytes(32).toString('hex'),
    }
    const columns = {
      token_hash: hashToken(credentials.token),
      credential_secret: vault.seal(credentials.credentialSecret, secretContext(id)),
    }
    return { credentials, columns }
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

  async function recordAssignment(
    tx: Tx,
    actor: Actor,
    row: DeviceRow,
    instance: Pick<InstanceRow, 'id' | 'name'>,
    what: 'assigned' | 'unassigned',
  ): Promise<void> {
    const body = { device: deviceRef(row), project: instanceRef(instance) }
    const ofInstance = { type: 'project' as const, id: instance.id, team: row.team_id }
    if (what === 'assigned') {
      await audit.record(tx, actor, 'team.device.assigned', placeOf(row.team_id), body)
      await audit.record(tx, actor, 'project.device.assigned', ofInstance, body)
    } else {
      await audit.record(tx, actor, 'team.device.unassigned', placeOf(row.team_id), body)
      await audit.record(tx, actor, 'project.device.unassigned', ofInstance, body)
    }
  }

  /** @throws Failure invalid_instance for one that is not of the team. */
  async function assign(actor: Actor, id: string, instanceId: string | null): Promise<void> {
    await change(id, async (tx, row) => {
      const found = await instancesOf(tx, [instanceId, row.instance_id])
      const [next, before] = [found.get(instanceId ?? ''), found.get(row.instance_id ?? '')]
      if (instanceId !== null && next?.team_id !== row.team_id)
        throw fail('invalid_instance', 'Choose an instance of this team', { field: 'instance' })
      if (row.instance_id === (next?.id ?? null)) return
      await updateDevice(tx, id, { instance_id: next?.id ?? null, updated_at: clock.now() })
      if (before) await recordAssignment(tx, actor, row, before, 'unassigned')
      if (next) await recordAssignment(tx, actor, row, next, 'assigned')
    })
  }

  /** @throws Failure invalid_name. */
  async function rename(actor: Actor, id: string, patch: Pick<DevicePatch, 'name' | 'type'>): Promise<void> {
    await change(id, async (tx, row) => {
      const next = { name: named(patch.name ?? row.name), type: patch.type ?? row.type }
      const updates = changes({ name: row.name, type: row.type }, next)
      if (updates.length === 0) return
      await updateDevice(tx, id, {
        ...settingsColumns(vault, { id, ...next }, openEnv(vault, row)),
        updated_at: clock.now(),
      })
      const body = { device: { id, name: next.name }, updates }
      await audit.record(tx, actor, 'team.device.updated', placeOf(row.team_id), body)
    })
  }

  return {
    get,
    all: async (query: DeviceQuery) => page('all', query),
    ofTeam: async (teamId: string, query: DeviceQuery) => page({ teamId }, query),
    ofInstance: async (instanceId: string, query: DeviceQuery) => page({ instanceId }, query),

    /** @throws Failure invalid_name. */
    async create(actor: Actor, teamId: string, input: { name: string; type: string }) {
      const [id, now] = [newId(), clock.now()]
      const { credentials, columns } = credentialsFor(id)
      const row: DeviceRow = {
        id,
        team_id: teamId,
        ...settingsColumns(vault, { id, name: named(input.name), type: input.type }, []),
        ...columns,
        instance_id: null,
        active_snapshot_id: null,
        status: 'offline',
        agent_version: null,
        nodejs_version: null,
        nodered_version: null,
        last_seen_at: null,
        created_at: now,
        updated_at: now,
      }
      await database.transact(async (tx) => {
        await insertDevice(tx, row)
        await audit.record(tx, actor, 'team.device.created', placeOf(teamId), { device: deviceRef(row) })
        await tell(tx, row)
      })
      return { ...(await get(id)), credentials }
    },

    /** A body that assigns does nothing else (DEV-57). @throws Failure not_found, invalid_name, invalid_instance. */
    async update(actor: Actor, id: string, { instance, project, ...patch }: DevicePatch): Promise<Device> {
      const to = instance === undefined ? project : instance
      await (to === undefined ? rename(actor, id, patch) : assign(actor, id, to))
      return get(id)
    },

    async delete(actor: Actor, id: string): Promise<void> {
      await change(id, async (tx, row) => {
        await deleteDevice(tx, id)
        await audit.record(tx, actor, 'team.device.deleted', placeOf(row.team_id), { device: deviceRef(row) })
      })
    },

    async generateCredentials(actor: Actor, id: string): Promise<DeviceCredentials> {
      const { credentials, columns } = credentialsFor(id)
      await change(id, async (tx, row) => {
        await updateDevice(tx, id, { ...columns, updated_at: clock.now() })
        const body = { device: deviceRef(row) }
        await audit.record(tx, actor, 'team.device.credentials-generated', placeOf(row.team_id), body)
      })
      return credentials
    },

    async settings(id: string): Promise<EnvEntry[]> {
      const row = await findDevice(read, id)
      if (!row) throw fail('not_found')
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
        await audit.record(tx, actor, 'team.device.updated', placeOf(row.team_id), body)
      })
    },

    /** What can be known before the devices of an instance run a snapshot of it. @throws Failure invalid_snapshot. */
    async previewTarget(instance: InstanceRow, snapshot: string) {
      const rows = await listTargeted(read, instance.id)
      const targeted = rows.map((row) => ({
        name: row.name,
        nodejs: row.nodejs_version,
        variables: new Set(openEnv(vault, row).flatMap(({ name, value }) => (value === '' ? [] : name))),
      }))
      return {
        devices: rows.length,
        running: rows.filter((row) => row.active_snapshot_id === snapshot).length,
        foreseen: await deployments.foreseeOnDevices(instance, snapshot, targeted),
      }
    },

    /** Who a token speaks for, or undefined. */
    async actorOf(token: string, address: string): Promise<Actor | undefined> {
      const row = await findByToken(read, hashToken(token))
      return row && { kind: 'device', deviceId: row.id, teamId: row.team_id, address }
    },
  }
}
