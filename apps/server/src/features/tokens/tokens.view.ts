import type { AccessToken } from '@app/contract'
import * as z from 'zod/mini'
import { iso } from '../../platform/clock.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import type { TokenRow } from './tokens.store.ts'

/** The scopes that a token carries. */
export const scopesOf = jsonColumn('tokens.scopes', z.array(z.string()))

const time = (milliseconds: number | null) => (milliseconds === null ? null : iso(milliseconds))

export function accessTokenView(row: TokenRow): AccessToken {
  return {
    id: row.id,
    name: row.name ?? '',
    scopes: scopesOf(row.scopes, row.id),
    createdAt: iso(row.created_at),
    expiresAt: time(row.expires_at),
    lastUsedAt: time(row.last_used_at),
  }
}
