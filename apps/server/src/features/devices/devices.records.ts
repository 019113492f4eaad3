import { limits, type DeviceCredentials } from '@app/contract'
import { randomBytes } from 'node:crypto'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashToken, newToken, type Vault } from '../../platform/crypto.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { Services } from '../../platform/features/services.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { type Audit, teamScope } from '../audit/index.ts'
import { type BrokerClients, brokerUserOf } from '../comms/index.ts'
import { instanceRef, type InstanceRow } from '../instances/index.ts'
import type { Quotas } from '../team-types/index.ts'
import { secretContext, settingsColumns } from './devices.secrets.ts'
import { type DeviceRow, insertDevice, updateDevice } from './devices.store.ts'

export const deviceRef = ({ id, name }: Pick<DeviceRow, 'id' | 'name'>) => ({ id, name })

/** @throws Failure invalid_request for a text that is too long or cannot be kept. */
export function fitting(field: 'name' | 'type', text: string): string {
  if (text.length > limits.nameMax) throw fail('invalid_request', `At most ${limits.nameMax} characters`, { field })
  if (text.includes('\0')) throw fail('invalid_request', 'Must not contain NUL characters', { field })
  return text
}

/** @throws Failure invalid_name for one that is empty or cannot be kept; invalid_request for one that is too long. */
export function named(name: string): string {
  if (name === '' || name.includes('\0')) throw fail('invalid_name', 'A device needs a name', { field: 'name' })
  return fitting('name', name)
}

type Instance = Pick<InstanceRow, 'id' | 'name'>

export interface NewDeviceRecord {
  teamId: string
  name: string
  type: string
  instance: Instance | null
  /** The provisioning token with which it registers. */
  token?: { id: string; name: string }
}

export interface RecordsDependencies {
  bus: Bus
  clock: Clock
  audit: Audit
  hooks: Services['hooks']
  vault: Vault
  brokerClients: Pick<BrokerClients, 'renewDevice'>
  quotas: Pick<Quotas, 'addDevice'>
}

/** The payload of a notification is limited. */
const toldAtOnce = 50

export type DeviceRecords = ReturnType<typeof createDeviceRecords>

/** The changes of devices that people, agents and provisioning tokens all make, each with its audit entries. */
export function createDeviceRecords(deps: RecordsDependencies) {
  const { bus, clock, audit, hooks, vault, brokerClients, quotas } = deps
  type Named = Pick<DeviceRow, 'id' | 'team_id'>
  /** Browsers, and the devices themselves, which are told what they shall run. */
  const tell = async (tx: Tx, row: Named, all: readonly Named[] = [row]) => {
    await bus.publish(tx, { type: 'device', team: row.team_id, id: row.id })
    for (let at = 0; at < all.length; at += toldAtOnce) {
      const part = all.slice(at, at + toldAtOnce)
      const users = part.map(({ id, team_id }) => brokerUserOf('device', team_id, id))
      await bus.publish(tx, { type: 'comms', devices: part.map(({ id }) => id), users })
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

  async function recordAssignment(
    tx: Tx,
    actor: Actor,
    row: Pick<DeviceRow, 'id' | 'name' | 'team_id'>,
    instance: Instance,
    what: 'assigned' | 'unassigned',
  ): Promise<void> {
    const body = { device: deviceRef(row), project: instanceRef(instance) }
    const ofInstance = { type: 'project' as const, id: instance.id, team: row.team_id }
    if (what === 'assigned') {
      await audit.record(tx, actor, 'team.device.assigned', teamScope(row.team_id), body)
      await audit.record(tx, actor, 'project.device.assigned', ofInstance, body)
    } else {
      await audit.record(tx, actor, 'team.device.unassigned', teamScope(row.team_id), body)
      await audit.record(tx, actor, 'project.device.unassigned', ofInstance, body)
    }
  }

  return {
    tell,
    recordAssignment,

    /** Adds a device; its credentials are returned this once. @throws Failure device_limit_reached, devices_unavailable. */
    async add(tx: Tx, actor: Actor, { teamId, name, type, instance, token }: NewDeviceRecord) {
      await quotas.addDevice(tx, teamId)
      const [id, now] = [newId(), clock.now()]
      const { credentials, columns } = credentialsFor(id)
      const row: DeviceRow = {
        id,
        team_id: teamId,
        ...settingsColumns(vault, { id, name, type, nodered: null }, []),
        ...columns,
        instance_id: instance?.id ?? null,
        active_snapshot_id: null,
        status: 'offline',
        trouble: null,
        agent_version: null,
        nodejs_version: null,
        nodered_version: null,
        last_seen_at: null,
        refused: null,
        mode: 'autonomous',
        editor_token_hash: null,
        editor_asked_at: null,
        editor_connected: 0,
        takeover: 'auto',
        last_deployment: null,
        deployment_reported_at: null,
        opens: null,
        nodered: null,
        memory_limit: null,
        agent_id: null,
        agent_updater: null,
        agent_order: null,
        agent_update: null,
        target_state: null,
        audit_report: null,
        shared_at: null,
        registered_by: token?.id ?? null,
        created_at: now,
        updated_at: now,
      }
      await hooks.run('device.coming', tx, row)
      await insertDevice(tx, row)
      const broker = await brokerClients.renewDevice(tx, { id, teamId })
      const info = token && { info: { tokenId: token.id, tokenName: token.name } }
      await audit.record(tx, actor, 'team.device.created', teamScope(teamId), { device: deviceRef(row), ...info })
      if (instance) await recordAssignment(tx, actor, row, instance, 'assigned')
      await tell(tx, row)
      return { id, credentials: { ...credentials, ...(broker && { broker }) } }
    },

    /** New credentials for a device; the former stop working. */
    async renew(tx: Tx, actor: Actor, row: DeviceRow): Promise<DeviceCredentials> {
      const { credentials, columns } = credentialsFor(row.id)
      await updateDevice(tx, row.id, {
        ...columns,
        editor_token_hash: null,
        editor_connected: 0,
        updated_at: clock.now(),
      })
      const broker = await brokerClients.renewDevice(tx, { id: row.id, teamId: row.team_id })
      const body = { device: deviceRef(row) }
      await audit.record(tx, actor, 'team.device.credentials-generated', teamScope(row.team_id), body)
      await tell(tx, row)
      return { ...credentials, ...(broker && { broker }) }
    },
  }
}
