import type { AccessToken } from '@app/contract'
import { iso } from '../../platform/clock.ts'
import type { TokenRow } from './tokens.store.ts'

const time = (milliseconds: number | null) => (milliseconds === null ? null : iso(milliseconds))

export function accessTokenView(row: TokenRow): AccessToken {
  return {
    id: row.id,
    name: row.name ?? '',
    scopes: JSON.parse(row.scopes) as string[],
    createdAt: iso(row.created_at),
    expiresAt: time(row.expires_at),
    lastUsedAt: time(row.last_used_at),
  }
}
