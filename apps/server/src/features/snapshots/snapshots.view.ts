import type { Snapshot } from '@app/contract'
import { iso } from '../../platform/clock.ts'
import { type UserRow, userSummaryView } from '../account/index.ts'
import type { SnapshotRow } from './snapshots.store.ts'

export function snapshotView(row: SnapshotRow, user: UserRow | undefined, baseUrl: string): Snapshot {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    ...(user && row.automatic === 0 ? { user: userSummaryView(user, baseUrl) } : {}),
    modules: JSON.parse(row.modules) as Record<string, string>,
    ...(row.automatic === 1 ? { automatic: true as const } : {}),
  }
}
