import { type BulkResult, limits } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { type Audit, teamScope } from '../audit/index.ts'
import type { Snapshots } from '../snapshots/index.ts'
import { type DeviceRecords, deviceRef } from './devices.records.ts'
import { deleteDevices, type DeviceRow, instancesOf, lockDevices, updateDevices } from './devices.store.ts'
import { replaceTags, tagChanges, tagsOf } from './tags/tags.store.ts'

export interface BulkDependencies {
  database: Database
  clock: Clock
  audit: Audit
  deviceRecords: DeviceRecords
  snapshots: Pick<Snapshots, 'checkTargetTaken'>
}

/** The devices of one call, and where they go. */
interface Assignment {
  devices: readonly string[]
  instance: string | null
  allowStopped?: string[] | undefined
}

/** The tags that devices get, and those that they lose. */
interface Tagging {
  devices: readonly string[]
  add?: string[] | undefined
  remove?: string[] | undefined
}

export type DeviceBulk = ReturnType<typeof createDeviceBulk>

/** The same change for many devices of a team. Each is judged by itself: what cannot be changed is named. */
export function createDeviceBulk({ database, clock, audit, deviceRecords, snapshots }: BulkDependencies) {
  const { tell, recordAssignment } = deviceRecords

  async function each(
    teamId: string,
    ids: readonly string[],
    work: (tx: Tx, rows: DeviceRow[]) => Promise<BulkResult['refused'] | void>,
  ): Promise<BulkResult> {
    const chosen = [...new Set(ids)]
    return database.transact(async (tx) => {
      const rows = await lockDevices(tx, teamId, chosen, database.kind === 'postgres')
      const refused = (await work(tx, rows)) ?? []
      // One word makes browsers read all lists of devices anew.
      if (rows[0]) await tell(tx, rows[0], rows)
      const found = new Set(rows.map(({ id }) => id))
      const unable = new Set(refused.map(({ id }) => id))
      return {
        done: chosen.filter((id) => found.has(id) && !unable.has(id)),
        refused: [...refused, ...chosen.filter((id) => !found.has(id)).map(unknownDevice)],
      }
    })
  }

  return {
    /**
     * @throws Failure invalid_instance for one that is not of the team, flows_not_started where flows of devices end and
     * nothing runs in their place, unless `allowStopped` has `nodes`: then nothing is changed.
     */
    assign: async (actor: Actor, teamId: string, { devices, instance: instanceId, allowStopped }: Assignment) =>
      each(teamId, devices, async (tx, rows) => {
        const found = await instancesOf(tx, [instanceId, ...rows.map((row) => row.instance_id)])
        const next = found.get(instanceId ?? '')
        if (instanceId !== null && next?.team_id !== teamId)
          throw fail('invalid_instance', 'Choose an instance of this team', { field: 'instance' })
        const moving = rows.filter((row) => row.instance_id !== (next?.id ?? null))
        if (next && moving.some(({ active_snapshot_id }) => active_snapshot_id !== null))
          await snapshots.checkTargetTaken(tx, next.id, allowStopped)
        const change = { instance_id: next?.id ?? null, updated_at: clock.now() }
        await updateDevices(
          tx,
          moving.map(({ id }) => id),
          change,
        )
        for (const row of moving) {
          const before = found.get(row.instance_id ?? '')
          if (before) await recordAssignment(tx, actor, row, before, 'unassigned')
          if (next) await recordAssignment(tx, actor, row, next, 'assigned')
        }
      }),

    /** Other tags for devices; those that would have too many keep theirs. */
    tag: async (actor: Actor, teamId: string, { devices, add = [], remove = [] }: Tagging) =>
      each(teamId, devices, async (tx, rows) => {
        const before = await tagsOf(
          tx,
          rows.map(({ id }) => id),
        )
        const wanted = rows.map((row) => {
          const old = before.get(row.id) ?? []
          const tags = [...new Set([...old, ...add])].filter((tag) => !remove.includes(tag)).toSorted()
          return { ...row, tags, updates: tagChanges(old, tags) }
        })
        const [fitting, full] = [wanted.filter(hasRoom), wanted.filter((row) => !hasRoom(row))]
        const changed = fitting.filter(({ updates }) => updates.length > 0)
        await replaceTags(tx, changed)
        await updateDevices(
          tx,
          changed.map(({ id }) => id),
          { updated_at: clock.now() },
        )
        for (const { updates, ...row } of changed)
          await audit.record(tx, actor, 'team.device.updated', teamScope(teamId), { device: deviceRef(row), updates })
        const error = `A device has at most ${limits.deviceTags} tags`
        return full.map(({ id, name }) => ({ id, name, code: 'invalid_request', error }))
      }),

    delete: async (actor: Actor, teamId: string, ids: readonly string[]) =>
      each(teamId, ids, async (tx, rows) => {
        await deleteDevices(
          tx,
          rows.map(({ id }) => id),
        )
        for (const row of rows)
          await audit.record(tx, actor, 'team.device.deleted', teamScope(teamId), { device: deviceRef(row) })
      }),
  }
}

const hasRoom = ({ tags }: { tags: string[] }): boolean => tags.length <= limits.deviceTags

/** Entry in the answer for a device that is not of the team. */
export const unknownDevice = (id: string): BulkResult['refused'][number] => ({
  id,
  code: 'not_found',
  error: 'There is no such device in this team',
})
