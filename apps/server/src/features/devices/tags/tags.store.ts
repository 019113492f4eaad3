import { type AuditChange, limits } from '@app/contract'
import { sql, type SqlBool } from 'kysely'
import type { Reach } from '../../../platform/authz/reach.ts'
import type { Db, Tx } from '../../../platform/db/tables.ts'
import { assignedWithin } from '../devices.filter.ts'

export interface DeviceTagRow {
  device_id: string
  /** Team of the device, so that the tags of a team are read from an index. */
  team_id: string
  tag: string
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    device_tags: DeviceTagRow
  }
}

/** The tags of the devices of a team that the caller sees, the most used first. */
export async function listTags(db: Db, teamId: string, reach: Reach): Promise<{ tag: string; devices: number }[]> {
  let rows = db.selectFrom('device_tags').where('team_id', '=', teamId)
  const seen = assignedWithin(reach)
  if (seen.length > 0)
    rows = rows.where(
      sql<SqlBool>`device_id in (select device.id from devices as device where ${sql.join(seen, sql` and `)})`,
    )
  const counted = await rows
    .select('tag')
    .select((count) => count.fn.countAll<number>().as('devices'))
    .groupBy('tag')
    .orderBy('devices', 'desc')
    .orderBy('tag')
    .limit(limits.listedTags)
    .execute()
  return counted.map(({ tag, devices }) => ({ tag, devices: Number(devices) }))
}

/** The tags of these devices, by id; each has at least an empty list. */
export async function tagsOf(db: Db, ids: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map(ids.map((id): [string, string[]] => [id, []]))
  if (ids.length === 0) return found
  const rows = await db
    .selectFrom('device_tags')
    .select(['device_id', 'tag'])
    .where('device_id', 'in', ids)
    .orderBy('tag')
    .execute()
  for (const { device_id, tag } of rows) found.get(device_id)?.push(tag)
  return new Map([...found].map(([id, tags]) => [id, tags.toSorted()]))
}

/** Gives devices these tags in the place of theirs. At most as many devices as one call may change. */
export async function replaceTags(tx: Tx, devices: readonly { id: string; team_id: string; tags: string[] }[]) {
  if (devices.length === 0) return
  const ids = devices.map(({ id }) => id)
  await tx.deleteFrom('device_tags').where('device_id', 'in', ids).execute()
  const rows = devices.flatMap(({ id: device_id, team_id, tags }) => tags.map((tag) => ({ device_id, team_id, tag })))
  if (rows.length > 0) await tx.insertInto('device_tags').values(rows).execute()
}

/** The entry of an audit log's `updates` for other tags; none where they are the same. */
export function tagChanges(before: readonly string[], after: readonly string[]): AuditChange[] {
  const [old, next] = [before.join(', '), after.join(', ')]
  return old === next ? [] : [{ key: 'tags', old, new: next, dif: 'updated' }]
}
