import { type DeviceCharts, intervals, type seenBars, type statusBars } from '@app/contract'
import { type ExpressionBuilder, type ExpressionWrapper, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Reach } from '../../platform/authz/reach.ts'
import { contains } from '../../platform/db/like.ts'
import type { Db, Tables } from '../../platform/db/tables.ts'
import { within } from '../application-members/index.ts'
import { hasTag, hasTagLike } from './tags/tags.filter.ts'

export type DevicesOf = { teamId: string; reach: Reach } | { instanceId: string } | 'all'

export interface DeviceFilter {
  of: DevicesOf
  text?: string
  seen?: (typeof seenBars)[number] | undefined
  status?: (typeof statusBars)[number] | undefined
  registeredBy?: string | undefined
  tag?: string | undefined
  now: number
}

type Row = ExpressionBuilder<Tables & { device: Tables['devices'] }, 'device'>

/** The bar of the first chart that counts a device [DEV-42]. */
const seenBar = (now: number) => sql<(typeof seenBars)[number]>`case
  when device.last_seen_at is null then 'never'
  when device.last_seen_at > ${now - intervals.deviceSilence} then 'running'
  when device.last_seen_at >= ${now - intervals.deviceFault} then 'safe'
  else 'error' end`

/** The bar of the second chart. A device that is silent is offline, whatever it said last. */
const statusBar = (now: number) => sql<(typeof statusBars)[number]>`case
  when device.last_seen_at is null then 'never'
  when device.last_seen_at <= ${now - intervals.deviceSilence} then 'offline'
  when device.status in ('running', 'safe', 'stopped') then device.status
  when device.status = 'suspended' then 'stopped'
  when device.status in ('crashed', 'error') then 'error'
  else 'other' end`

/** Devices are in the application of their instance; those without one are in none. */
export function assignedWithin(reach: Reach): RawBuilder<SqlBool>[] {
  const limits = within(reach, 'application_id')
  return limits
    ? [sql<SqlBool>`device.instance_id in (select id from instances where deleted_at is null and ${limits})`]
    : []
}

/** The condition of a list of devices; the table is called `device` in the query. */
export function matching({ of, text, seen, status, registeredBy, tag, now }: DeviceFilter) {
  return (device: Row): ExpressionWrapper<Tables & { device: Tables['devices'] }, 'device', SqlBool> =>
    device.and([
      ...(of === 'all'
        ? []
        : 'teamId' in of
          ? [device('device.team_id', '=', of.teamId), ...assignedWithin(of.reach)]
          : [device('device.instance_id', '=', of.instanceId)]),
      ...(text ? [device.or([contains(device.ref('device.search_key'), text), hasTagLike(text)])] : []),
      ...(tag ? [hasTag(tag)] : []),
      ...(seen ? [sql<SqlBool>`${seenBar(now)} = ${seen}`] : []),
      ...(status ? [sql<SqlBool>`${statusBar(now)} = ${status}`] : []),
      ...(registeredBy ? [device('device.registered_by', '=', registeredBy)] : []),
    ])
}

/** Both charts, from one pass over the devices. */
export async function countBars(db: Db, of: DevicesOf, now: number): Promise<DeviceCharts> {
  const rows = await db
    .selectFrom('devices as device')
    .where(matching({ of, now }))
    .select([seenBar(now).as('seen'), statusBar(now).as('state')])
    .select((count) => count.fn.countAll<number>().as('n'))
    .groupBy(sql`1, 2`)
    .execute()
  const charts: DeviceCharts = {
    lastSeen: { running: 0, safe: 0, error: 0, never: 0 },
    status: { running: 0, safe: 0, stopped: 0, error: 0, offline: 0, never: 0, other: 0 },
  }
  for (const { seen, state, n } of rows) {
    charts.lastSeen[seen] += Number(n)
    charts.status[state] += Number(n)
  }
  return charts
}
