import type { Snapshot } from '@app/contract'
import * as z from 'zod/mini'
import { iso } from '../../platform/clock.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import { type PersonRow, userSummaryView } from '../account/index.ts'
import type { SnapshotRow } from './snapshots.store.ts'

const readModules = jsonColumn('snapshots.modules', z.record(z.string(), z.string()))
/** The version of Node-RED and of each module that a snapshot is made for. */
export const modulesOfSnapshot = ({ id, modules }: Pick<SnapshotRow, 'id' | 'modules'>) => readModules(modules, id)

/** `devices`: how many run it. */
export function snapshotView(
  row: SnapshotRow,
  user: PersonRow | undefined,
  devices: number,
  baseUrl: string,
): Snapshot {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    ...(user && row.automatic === 0 ? { user: userSummaryView(user, baseUrl) } : {}),
    deviceCount: devices,
    modules: modulesOfSnapshot(row),
    ...(row.automatic === 1 ? { automatic: true as const } : {}),
  }
}
