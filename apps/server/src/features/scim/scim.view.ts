import { iso } from '../../platform/clock.ts'
import { objectColumn } from '../../platform/db/json.ts'
import type { Resource } from './patch.ts'
import type { ScimGroupRow } from './scim-groups.store.ts'
import { groupSchema, userSchema } from './scim.resource.ts'
import type { Provisioned } from './scim-users.store.ts'

const resourceOf = objectColumn('scim_users.resource')

/** The attributes that the directory sent of a user. */
export const keptResource = (row: Provisioned): Resource => resourceOf(row.resource, row.user_id)

const metaOf = (row: { created_at: number; updated_at: number }, resourceType: string, location: string) => ({
  resourceType,
  created: iso(row.created_at),
  lastModified: iso(row.updated_at),
  location,
})

export interface GroupOfUser {
  id: string
  display_name: string
}

/** A user as directories read them back. */
export function userResource(row: Provisioned, groups: readonly GroupOfUser[], base: string): Resource {
  const kept = keptResource(row)
  const extensions = Object.keys(kept).filter((key) => key.startsWith('urn:'))
  return {
    schemas: [userSchema, ...extensions],
    emails: [{ value: row.email, type: 'work', primary: true }],
    displayName: row.name,
    ...kept,
    id: row.user_id,
    userName: row.user_name,
    active: row.account_suspended === 0,
    groups: groups.map(({ id, display_name }) => ({
      value: id,
      display: display_name,
      $ref: `${base}/Groups/${id}`,
      type: 'direct',
    })),
    meta: metaOf(row, 'User', `${base}/Users/${row.user_id}`),
  }
}

/** A group; `members` undefined: they were not asked for. */
export function groupResource(
  row: ScimGroupRow,
  members: readonly { user_id: string; name: string }[] | undefined,
  base: string,
): Resource {
  return {
    schemas: [groupSchema],
    id: row.id,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    displayName: row.display_name,
    ...(members && {
      members: members.map(({ user_id, name }) => ({
        value: user_id,
        display: name,
        type: 'User',
        $ref: `${base}/Users/${user_id}`,
      })),
    }),
    meta: metaOf(row, 'Group', `${base}/Groups/${row.id}`),
  }
}
