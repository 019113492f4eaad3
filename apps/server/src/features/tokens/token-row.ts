import { hashToken } from '../../platform/crypto.ts'
import { newId } from '../../platform/ids.ts'
import type { TokenRow } from './tokens.store.ts'

/** The row of a token that belongs to nobody, allows nothing and does not expire. */
export const tokenRow = (kind: TokenRow['kind'], token: string, now: number): TokenRow => ({
  id: newId(),
  kind,
  hash: hashToken(token),
  refresh_hash: null,
  user_id: null,
  instance_id: null,
  team_id: null,
  scopes: '[]',
  grant_scope: null,
  expires_at: null,
  created_at: now,
  name: null,
  last_used_at: null,
  address: null,
})
