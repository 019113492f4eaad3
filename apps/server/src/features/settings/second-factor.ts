import { sql } from 'kysely'
import type { Flag } from '../../platform/db/tables.ts'

/** A column that says whether the platform asks everyone for a second factor; read with the user on every request. */
export const secondFactorRequired = sql<
  boolean | Flag
>`exists (select 1 from settings where key = 'user:mfa-required' and value = 'true')`.as('second_factor_required')

/** Must this user add a second factor before they may do anything else? */
export function lacksSecondFactor(row: {
  second_factor: Flag | null
  second_factor_required: boolean | Flag
}): boolean {
  return Boolean(row.second_factor_required) && row.second_factor !== 1
}
