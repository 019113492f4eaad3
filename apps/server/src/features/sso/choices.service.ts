import type { Database } from '../../platform/db/database.ts'
import { listChoices } from './sso.store.ts'

export type SsoChoices = ReturnType<typeof createSsoChoices>

const { compare } = new Intl.Collator('en', { numeric: true })

/**
 * The providers that people choose by a button of the login page: those of OpenID Connect. It does not ask whether
 * single sign-on is on, because the settings ask it, which know.
 */
export function createSsoChoices({ database }: { database: Database }) {
  return {
    /** Nothing but ids and names: everybody reads them. By name. */
    active: async (): Promise<{ id: string; name: string }[]> =>
      (await listChoices(database.read)).toSorted((one, other) => compare(one.name, other.name)),
  }
}
