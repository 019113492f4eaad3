import type { Snapshot } from '@app/contract'
import { iso } from '../../platform/clock.ts'
import { type UserRow, userSummaryView } from '../account/index.ts'
import type { SnapshotRow } from './snapshots.store.ts'

/** `devices`: how many run it. */
export function snapshotView(row: SnapshotRow, user: UserRow | undefined, devices: number, baseUrl: string): Snapshot {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    ...(user && row.automatic === 0 ? { user: userSummaryView(user, baseUrl) } : {}),
    deviceCount: devices,
    modules: JSON.parse(row.modules) as Record<string, string>,
    ...(row.automatic === 1 ? { automatic: true as const } : {}),
  }
}
