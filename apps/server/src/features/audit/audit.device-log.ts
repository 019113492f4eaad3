import type { AuditKey } from '@app/contract'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { jsonColumn } from '../../platform/db/json.ts'
import type { Db } from '../../platform/db/tables.ts'

/** The log of a device, whose entries stand in the logs of its team and of its instances. */
export interface DeviceLog {
  type: 'device log'
  id: string
  /** The instance it is assigned to. */
  instance: string | null
  /** Leaves out what names another instance than this one. */
  within?: string | undefined
}

/** A time for which the device was assigned to an instance, between the ids of two entries. */
export interface Stay {
  instance: string
  from: number
  to: number
}

/** Events of an instance that change what its devices run or where they belong. They name no device: there may be thousands. */
const ofInstance = [
  'project.snapshot.device-target-set',
  'project.moved',
  'project.deleted',
  'project.undeleted',
] as const satisfies AuditKey[]

const assigned = 'team.device.assigned' satisfies AuditKey
const assignments = [assigned, 'team.device.unassigned'] as const satisfies AuditKey[]
/** The last assignments that count; those of a device are few. */
const assignmentsMost = 100

const bodyOf = jsonColumn('audit_log.body', z.looseObject({ project: z.optional(z.looseObject({ id: z.string() })) }))

/** When the device was assigned to which instance, by the entries about that. */
export async function staysOf(db: Db, { id, instance }: DeviceLog): Promise<Stay[]> {
  const rows = await db
    .selectFrom('audit_log')
    .select(['id', 'event', 'body'])
    .where('device_id', '=', id)
    .where('event', 'in', assignments)
    .orderBy('id', 'desc')
    .limit(assignmentsMost)
    .execute()
  const stays: Stay[] = []
  let to = Number.MAX_SAFE_INTEGER
  // Newest first. Retention may have removed how the oldest began.
  for (const row of rows) {
    const of = bodyOf(row.body, String(row.id)).project?.id
    if (of !== undefined && row.event === assigned) stays.push({ instance: of, from: row.id, to })
    to = row.id
  }
  const oldest = rows.at(-1)
  if (!oldest) return instance === null ? [] : [{ instance, from: 0, to }]
  const before = oldest.event === assigned ? undefined : bodyOf(oldest.body, String(oldest.id)).project?.id
  return before === undefined ? stays : [...stays, { instance: before, from: 0, to: oldest.id }]
}

/** The condition that an entry stands in the log of a device. */
export function inDeviceLog({ id, within }: DeviceLog, stays: readonly Stay[]) {
  const own =
    within === undefined
      ? sql<boolean>`device_id = ${id}`
      : sql<boolean>`device_id = ${id} and case scope_type when 'project' then scope_id = ${within}
          else event not in (${sql.join(assignments)}) end`
  const others = stays
    .filter((stay) => within === undefined || stay.instance === within)
    .map(
      ({ instance, from, to }) => sql<boolean>`scope_type = 'project' and scope_id = ${instance}
        and event in (${sql.join(ofInstance)}) and id > ${from} and id < ${to}`,
    )
  return sql<boolean>`(${sql.join([own, ...others], sql` or `)})`
}
