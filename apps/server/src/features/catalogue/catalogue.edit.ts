import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import { brokenRule, type Database } from '../../platform/db/database.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Audit } from '../audit/index.ts'

export interface EditDependencies {
  database: Database
  clock: Clock
  audit: Audit
  vault: Vault
}

/** Everything here stands in the log of the platform. */
export const place = { type: 'platform', id: 'platform' } as const

/** Why something cannot be deleted, in the words of the documents. */
export const inUse = (what: string) => `You cannot delete ${what} that is still being used by instances.`

/**
 * Does something that needs a name of its own.
 * @throws Failure invalid_name 409 when the name is taken.
 */
export async function nameTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw brokenRule(error) === 'unique'
      ? fail('invalid_name', 'The name must be unique', { field: 'name', status: 409 })
      : error
  }
}

/**
 * Deletes something; an instance that was made of it in the same moment keeps it.
 * @throws Failure invalid_request when it is in use.
 */
export async function unlessUsed<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw brokenRule(error) === 'reference' ? fail('invalid_request', inUse(what)) : error
  }
}
