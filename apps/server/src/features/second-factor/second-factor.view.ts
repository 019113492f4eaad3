import type { Factor } from '@app/contract'
import { iso } from '../../platform/clock.ts'
import type { FactorRow } from './second-factor.store.ts'

export function factorView(row: FactorRow): Factor {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    createdAt: iso(row.created_at),
    lastUsedAt: row.last_used_at === null ? null : iso(row.last_used_at),
  }
}
