import type { DirectoryGroups } from '../sso/index.ts'
import { pushedGroups } from './scim-groups.store.ts'

/** Tells single sign-on what directories say of the groups that its rules name. */
export const createDirectoryGroups = (): DirectoryGroups => ({
  async pushed(db, providerId, userId, names) {
    if (names.length === 0) return { known: new Set(), own: new Set() }
    const groups = await pushedGroups(db, providerId, userId, names)
    const namesOf = (rows: typeof groups) =>
      new Set(rows.flatMap((row) => [row.display_name, row.external_id]).filter((name) => name !== null))
    return { known: namesOf(groups), own: namesOf(groups.filter((row) => row.user_id !== null)) }
  },
})
