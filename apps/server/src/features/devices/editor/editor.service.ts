import { allows, answersOnDevice, type EditorAccess, roles } from '@app/contract'
import * as z from 'zod/mini'
import type { Actor } from '../../../platform/authz/actor.ts'
import type { Clock } from '../../../platform/clock.ts'
import { randomBytes } from 'node:crypto'
import { hashToken, newToken, sameSecret } from '../../../platform/crypto.ts'
import type { Database } from '../../../platform/db/database.ts'
import type { Bus } from '../../../platform/events/bus.ts'
import { fail } from '../../../platform/http/failure.ts'
import { type ApplicationMembers, roleKey } from '../../application-members/index.ts'
import { type Audit, teamScope } from '../../audit/index.ts'
import type { DeviceCommands } from '../commands/device.commands.ts'
import { hasEditor } from '../developer/agent.releases.ts'
import { type DeviceRecords, deviceRef } from '../devices.records.ts'
import { type DeviceRow, lockDevice, updateDevice } from '../devices.store.ts'
import { isSilent } from '../devices.view.ts'
import type { EditorHosts } from './editor.hosts.ts'
import { findEditor, insertSession } from './editor.store.ts'

export interface EditorDependencies {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
  deviceRecords: DeviceRecords
  deviceCommands: DeviceCommands
  editorHosts: EditorHosts
  applicationMembers: Pick<ApplicationMembers, 'rolesOnDevices'>
}

const events = {
  enabled: 'team.device.remote-access.enabled',
  disabled: 'team.device.remote-access.disabled',
  entered: 'team.device.remote-access.entered',
} as const
/** Agents look every two seconds whether their tunnel is open. */
const startMs = 5_000
/** Maximum time for a browser to get from the console to the editor. */
const codeMs = 60_000

const Answer = z.looseObject({ connected: z.optional(z.boolean()), error: z.optional(z.unknown()) })

export type DeviceEditor = ReturnType<typeof createDeviceEditor>

/** Access to the editors of devices: switched on and off, and people let in. */
export function createDeviceEditor(deps: EditorDependencies) {
  const { database, bus, clock, audit, deviceRecords, deviceCommands, editorHosts } = deps

  async function isMember(actor: Actor, { id }: Pick<DeviceRow, 'id'>): Promise<boolean> {
    if (actor.kind !== 'user') return false
    const roleOn = await deps.applicationMembers.rolesOnDevices([actor.userId], [id])
    return allows(roleOn.get(roleKey(actor.userId, id)) ?? roles.none, 'device:editor')
  }

  /** Administrators open no editors of teams in which they are no members. @throws Failure unauthorized. */
  async function checkMember(actor: Actor, row: DeviceRow): Promise<void> {
    if (!(await isMember(actor, row)))
      throw fail('unauthorized', 'Only members of the team open editors', { status: 403 })
  }

  async function access(id: string): Promise<EditorAccess> {
    const row = await findEditor(database.read, id)
    if (!row?.editor_token_hash) return {}
    return { enabled: true, connected: row.editor_connected === 1, url: editorHosts.urlOf(id) }
  }

  /** @returns false while somebody else has asked the agent for a tunnel: it opens only the last that it is asked for. */
  async function enableWith(actor: Actor, id: string, token: string): Promise<boolean> {
    return database.transact(async (tx) => {
      const row = await lockDevice(tx, id, database.kind === 'postgres')
      if (!row) throw fail('not_found')
      if (row.mode !== 'developer') throw notInDeveloperMode()
      const now = clock.now()
      const isAsked = row.editor_token_hash !== null && now - (row.editor_asked_at ?? 0) < startMs
      if (isAsked) return false
      await updateDevice(tx, id, { editor_token_hash: hashToken(token), editor_asked_at: now, editor_connected: 0 })
      await audit.record(tx, actor, events.enabled, teamScope(row.team_id), { device: deviceRef(row) })
      await deviceRecords.tell(tx, row)
      return true
    })
  }

  /** Waits for the tunnel that somebody else has asked for. @throws Failure enable_editor_failed. */
  async function untilOpen(id: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const look = async () => {
      const row = await findEditor(database.read, id)
      if (!row?.editor_token_hash) resolve(false)
      else if (row.editor_connected === 1) resolve(true)
    }
    const late = setTimeout(resolve, startMs, false)
    const unsubscribe = bus.subscribe((event) => {
      if (event.type === 'device' && event.id === id) look().catch(() => resolve(false))
    })
    try {
      await look()
      if (!(await promise)) throw fail('enable_editor_failed', reasonOf(undefined))
    } finally {
      clearTimeout(late)
      unsubscribe()
    }
  }

  /** `token`: only while it is still the one. */
  async function disable(actor: Actor, id: string, token?: string): Promise<void> {
    await database.transact(async (tx) => {
      const row = await lockDevice(tx, id, database.kind === 'postgres')
      if (!row || row.editor_token_hash === null) return
      if (token !== undefined && row.editor_token_hash !== hashToken(token)) return
      await updateDevice(tx, id, { editor_token_hash: null, editor_connected: 0 })
      await audit.record(tx, actor, events.disabled, teamScope(row.team_id), { device: deviceRef(row) })
      await deviceRecords.tell(tx, row)
    })
  }

  async function enable(actor: Actor, row: DeviceRow): Promise<void> {
    const { id: deviceId, team_id: teamId } = row
    if (!editorHosts.hasNames)
      throw fail(
        'enable_editor_failed',
        'Instances of this platform have ports in place of host names, and editors of devices need host names. Set FORGE_INSTANCE_DOMAIN in place of FORGE_INSTANCE_PORTS.',
      )
    if (!hasEditor(row)) throw fail('agent_outdated', 'The agent of the device has no editor access. Update it.')
    if (row.mode !== 'developer') throw notInDeveloperMode()
    if (!answersOnDevice(row.status) || isSilent(row.last_seen_at, clock.now()))
      throw fail('invalid_request', 'The device must be in "running" state to access the editor')
    const known = await findEditor(database.read, deviceId)
    if (known?.editor_connected === 1) return
    const token = newToken('ffde').replace('_', `_${deviceId}_`)
    if (!(await enableWith(actor, deviceId, token))) return untilOpen(deviceId)
    try {
      const answer = Answer.safeParse(
        await deviceCommands.ask({ deviceId, teamId, command: 'startEditor', payload: { token }, waitMs: startMs }),
      ).data
      if (!answer?.connected) throw fail('enable_editor_failed', reasonOf(answer?.error))
    } catch (error) {
      await disable(actor, deviceId, token)
      throw error
    }
  }

  return {
    isMember,
    /** Visiting administrators see no address (PERM-76). */
    async access(actor: Actor, row: DeviceRow): Promise<EditorAccess> {
      const { url, ...rest } = await access(row.id)
      return url !== undefined && (await isMember(actor, row)) ? { ...rest, url } : rest
    },

    /**
     * It is off again when the agent opens no tunnel; the audit log has both.
     * @throws Failure invalid_request outside developer mode and while the flows do not run; agent_outdated;
     * device_unreachable; enable_editor_failed with the reason of the agent; unauthorized for administrators who are no members.
     */
    async set(actor: Actor, row: DeviceRow, isOn: boolean): Promise<EditorAccess> {
      if (!isOn) {
        await disable(actor, row.id)
        return { enabled: false }
      }
      await checkMember(actor, row)
      await enable(actor, row)
      return access(row.id)
    },

    /** The address at which the browser of a member enters the editor, once. @throws Failure as `set`. */
    async enter(actor: Actor, row: DeviceRow): Promise<{ url: string }> {
      if (actor.kind !== 'user' || !('session' in actor.via)) throw fail('unauthorized')
      const { enabled } = await access(row.id)
      if (!enabled) throw fail('invalid_request', 'Editor access of this device is off')
      await checkMember(actor, row)
      const code = randomBytes(32).toString('base64url')
      const { userId: user_id } = actor
      const { session } = actor.via
      await database.transact(async (tx) => {
        await insertSession(tx, {
          hash: hashToken(code),
          kind: 'code',
          device_id: row.id,
          user_id,
          session,
          expires_at: clock.now() + codeMs,
        })
        await audit.record(tx, actor, events.entered, teamScope(row.team_id), { device: deviceRef(row) })
      })
      return { url: editorHosts.entryOf(row.id, code) }
    },

    /** Is this the token of the editor of the device? Node-RED on old devices asks. */
    async isToken(id: string, token: string): Promise<boolean> {
      const row = await findEditor(database.read, id)
      return row?.editor_token_hash != null && sameSecret(row.editor_token_hash, hashToken(token))
    },
  }
}

const notInDeveloperMode = () => fail('invalid_request', 'Enable developer mode of the device first')

function reasonOf(error: unknown): string {
  if (error === 'noNRRunning') return 'The flows of the device do not run, so it has no editor.'
  return typeof error === 'string' && error !== ''
    ? `The device did not open its editor. ${error.slice(0, 500)}`
    : 'The device did not open its editor.'
}
