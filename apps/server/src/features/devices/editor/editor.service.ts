import { type EditorAccess, roles } from '@app/contract'
import * as z from 'zod/mini'
import type { Actor } from '../../../platform/authz/actor.ts'
import type { Clock } from '../../../platform/clock.ts'
import { randomBytes } from 'node:crypto'
import { hashToken, newToken, sameSecret } from '../../../platform/crypto.ts'
import type { Database } from '../../../platform/db/database.ts'
import { fail } from '../../../platform/http/failure.ts'
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
  clock: Clock
  audit: Audit
  deviceRecords: DeviceRecords
  deviceCommands: DeviceCommands
  editorHosts: EditorHosts
  teamIdsOf(userIds: string[], atLeast: number): Promise<Map<string, string[]>>
}

const events = {
  enabled: 'team.device.remote-access.enabled',
  disabled: 'team.device.remote-access.disabled',
} as const
/** Agents look every two seconds whether their tunnel is open. */
const startMs = 5_000
/** How long a browser may take from the console to the editor. */
const codeMs = 60_000

const Answer = z.looseObject({ connected: z.optional(z.boolean()), error: z.optional(z.unknown()) })

export type DeviceEditor = ReturnType<typeof createDeviceEditor>

/** Access to the editors of devices: switched on and off, and people let in. */
export function createDeviceEditor(deps: EditorDependencies) {
  const { database, clock, audit, deviceRecords, deviceCommands, editorHosts } = deps

  /** Administrators open no editors of teams in which they are no members. @throws Failure unauthorized. */
  async function checkMember(actor: Actor, { team_id: teamId }: DeviceRow): Promise<void> {
    const teams = actor.kind === 'user' ? await deps.teamIdsOf([actor.userId], roles.member) : undefined
    if (actor.kind !== 'user' || !teams?.get(actor.userId)?.includes(teamId))
      throw fail('unauthorized', 'Only members of the team open editors', { status: 403 })
  }

  async function access(id: string): Promise<EditorAccess> {
    const row = await findEditor(database.read, id)
    if (!row?.editor_token_hash) return {}
    return { enabled: true, connected: row.editor_connected === 1, url: editorHosts.urlOf(id) }
  }

  /** Writes that the editor is on, with this token, or off; nothing when it is so already. */
  async function write(actor: Actor, id: string, token: string | null, isRecorded: boolean): Promise<void> {
    await database.transact(async (tx) => {
      const row = await lockDevice(tx, id, database.kind === 'postgres')
      if (!row) throw fail('not_found')
      if (token === null && row.editor_token_hash === null) return
      if (token !== null && row.mode !== 'developer') throw notInDeveloperMode()
      await updateDevice(tx, id, { editor_token_hash: token === null ? null : hashToken(token), editor_connected: 0 })
      const event = token === null ? events.disabled : events.enabled
      if (isRecorded) await audit.record(tx, actor, event, teamScope(row.team_id), { device: deviceRef(row) })
      await deviceRecords.tell(tx, row)
    })
  }

  async function enable(actor: Actor, row: DeviceRow): Promise<void> {
    const { id: deviceId, team_id: teamId } = row
    if (!hasEditor(row)) throw fail('agent_outdated', 'The agent of the device has no editor access. Update it.')
    if (row.mode !== 'developer') throw notInDeveloperMode()
    if (row.status !== 'running' || isSilent(row.last_seen_at, clock.now()))
      throw fail('invalid_request', 'The device must be in "running" state to access the editor')
    const known = await findEditor(database.read, deviceId)
    if (known?.editor_connected === 1) return
    const token = newToken('ffde').replace('_', `_${deviceId}_`)
    await write(actor, deviceId, token, false)
    try {
      const answer = Answer.safeParse(
        await deviceCommands.ask({ deviceId, teamId, command: 'startEditor', payload: { token }, waitMs: startMs }),
      ).data
      if (!answer?.connected) throw fail('enable_editor_failed', reasonOf(answer?.error))
    } catch (error) {
      await write(actor, deviceId, null, false)
      throw error
    }
    await database.transact(async (tx) => {
      await audit.record(tx, actor, events.enabled, teamScope(teamId), { device: deviceRef(row) })
    })
  }

  return {
    access,

    /**
     * Nothing stays on, and nothing is recorded, unless the tunnel is open.
     * @throws Failure invalid_request outside developer mode and while the flows do not run; agent_outdated;
     * device_unreachable; enable_editor_failed with the reason of the agent; unauthorized for administrators who are no members.
     */
    async set(actor: Actor, row: DeviceRow, isOn: boolean): Promise<EditorAccess> {
      if (!isOn) {
        await write(actor, row.id, null, true)
        return { enabled: false }
      }
      await checkMember(actor, row)
      await enable(actor, row)
      return access(row.id)
    },

    /** The address at which the browser of a member enters the editor, once. @throws Failure as `set`. */
    async enter(actor: Actor, row: DeviceRow): Promise<{ url: string }> {
      await checkMember(actor, row)
      if (actor.kind !== 'user' || !('session' in actor.via)) throw fail('unauthorized')
      const { enabled } = await access(row.id)
      if (!enabled) throw fail('invalid_request', 'Editor access of this device is off')
      const code = randomBytes(32).toString('base64url')
      await insertSession(database.read, {
        hash: hashToken(code),
        kind: 'code',
        device_id: row.id,
        user_id: actor.userId,
        session: actor.via.session,
        expires_at: clock.now() + codeMs,
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
