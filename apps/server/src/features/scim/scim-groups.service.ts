import type { ScimGroup } from '@app/contract'
import { type Clock, iso } from '../../platform/clock.ts'
import { type Database, whenBroken } from '../../platform/db/database.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import { newId } from '../../platform/ids.ts'
import { loginKey } from '../account/index.ts'
import { type Audit, platformScope } from '../audit/index.ts'
import type { SsoReviews } from '../sso/index.ts'
import { applyPatch, type Resource } from './patch.ts'
import {
  addMembers,
  countedGroups,
  deleteGroup,
  findGroup,
  insertGroup,
  listGroups,
  membersOf,
  provisionedAmong,
  removeMembers,
  type ScimGroupRow,
  updateGroup,
} from './scim-groups.store.ts'
import { providersOf } from './scim-tokens.store.ts'
import { badRequest, notFound, ScimError } from './scim.errors.ts'
import { type GroupFields, groupFields, readOperations, readResource } from './scim.resource.ts'
import type { Provisioner } from './scim-tokens.service.ts'
import type { ListPortion } from './scim-users.store.ts'
import { groupResource } from './scim.view.ts'

export interface ScimGroupsDependencies {
  database: Database
  clock: Clock
  audit: Audit
  /** The address below which SCIM answers. */
  base: string
  /** Applies the rules for groups to people whose groups have changed. */
  ssoReviews: Pick<SsoReviews, 'request'>
}

export type ScimGroups = ReturnType<typeof createScimGroups>

/** The groups of directories and who is in them. */
export function createScimGroups({ database, clock, audit, base, ssoReviews }: ScimGroupsDependencies) {
  const { read } = database

  async function find({ directory }: Provisioner, id: string, db: Db = read): Promise<ScimGroupRow> {
    const row = await findGroup(db, directory, id)
    if (!row) throw notFound()
    return row
  }

  async function view(row: ScimGroupRow, withMembers: boolean): Promise<Resource> {
    return groupResource(row, withMembers ? await membersOf(read, [row.id]) : undefined, base)
  }

  async function knownMembers(tx: Tx, { directory }: Provisioner, ids: readonly string[]): Promise<void> {
    const known = await provisionedAmong(tx, directory, ids)
    const unknown = ids.find((id) => !known.has(id))
    if (unknown !== undefined)
      throw badRequest('invalidValue', `There is no user ${unknown.slice(0, 64)} to be a member`)
  }

  /** Has rules applied to people; `gone`: a group as it was that lost a name. */
  const review = async (
    tx: Tx,
    { directory }: Provisioner,
    userIds: readonly string[],
    gone?: Pick<ScimGroupRow, 'display_name' | 'external_id'>,
  ): Promise<void> => {
    const names = gone ? [gone.display_name, gone.external_id].filter((name) => name !== null) : []
    return ssoReviews.request(tx, await providersOf(tx, directory), userIds, names)
  }

  const infoOf = (row: Pick<ScimGroupRow, 'id' | 'display_name' | 'directory'>, more: object = {}) => ({
    info: { id: row.id, name: row.display_name, directory: row.directory, ...more },
  })

  /** Writes what differs, so that two changes of the members at once both count. */
  async function change(
    actor: Provisioner,
    id: string,
    fieldsOf: (row: ScimGroupRow, members: string[]) => GroupFields,
  ): Promise<ScimGroupRow> {
    return database.transact(async (tx) => {
      const row = await find(actor, id, tx)
      const before = (await membersOf(tx, [id])).map(({ user_id }) => user_id)
      const fields = fieldsOf(row, before)
      const [was, shall] = [new Set(before), new Set(fields.members)]
      const added = fields.members.filter((one) => !was.has(one))
      const removed = before.filter((one) => !shall.has(one))
      await knownMembers(tx, actor, added)
      const after = {
        ...row,
        display_name: fields.displayName,
        display_name_key: loginKey(fields.displayName),
        external_id: fields.externalId,
        updated_at: clock.now(),
      }
      await updateGroup(tx, id, after)
      await addMembers(tx, id, added)
      await removeMembers(tx, id, removed)
      const former = after.display_name === row.display_name ? {} : { former: row.display_name }
      const body = infoOf(after, { ...former, added: added.length, removed: removed.length })
      await audit.record(tx, actor, 'platform.scim-group.updated', platformScope, body)
      // With another name or external id, other rules count for everybody in the group.
      const isSame = after.display_name === row.display_name && after.external_id === row.external_id
      if (isSame) await review(tx, actor, [...added, ...removed])
      else await review(tx, actor, [...before, ...added], row)
      return after
    })
  }

  /** @throws ScimError uniqueness where the database saw that another group has the name. */
  async function saying<T>(work: Promise<T>): Promise<T> {
    const detail = 'The directory has another group with this name'
    return work.catch(whenBroken('unique', () => new ScimError(409, detail, 'uniqueness')))
  }

  return {
    get: async (actor: Provisioner, id: string, withMembers: boolean): Promise<Resource> =>
      view(await find(actor, id), withMembers),

    async list(actor: Provisioner, portion: Omit<ListPortion, 'directory'>, withMembers: boolean) {
      const { rows, count } = await listGroups(read, { ...portion, directory: actor.directory })
      const members = withMembers
        ? await membersOf(
            read,
            rows.map(({ id }) => id),
          )
        : undefined
      const resources = rows.map((row) =>
        groupResource(
          row,
          members?.filter(({ group_id }) => group_id === row.id),
          base,
        ),
      )
      return { resources, count }
    },

    async create(actor: Provisioner, body: unknown): Promise<Resource> {
      const fields = groupFields(readResource(body))
      const now = clock.now()
      const row: ScimGroupRow = {
        id: newId(),
        directory: actor.directory,
        display_name: fields.displayName,
        display_name_key: loginKey(fields.displayName),
        external_id: fields.externalId,
        created_at: now,
        updated_at: now,
      }
      const made = database.transact(async (tx) => {
        await knownMembers(tx, actor, fields.members)
        await insertGroup(tx, row)
        await addMembers(tx, row.id, fields.members)
        const info = infoOf(row, { added: fields.members.length })
        await audit.record(tx, actor, 'platform.scim-group.created', platformScope, info)
        await review(tx, actor, fields.members)
      })
      await saying(made)
      return view(row, true)
    },

    async replace(actor: Provisioner, id: string, body: unknown): Promise<Resource> {
      const fields = groupFields(readResource(body))
      return view(await saying(change(actor, id, () => fields)), true)
    },

    async patch(actor: Provisioner, id: string, body: unknown): Promise<void> {
      const operations = readOperations(body)
      await saying(
        change(actor, id, (row, members) => {
          const external = row.external_id === null ? {} : { externalId: row.external_id }
          const before = { displayName: row.display_name, ...external, members: members.map((value) => ({ value })) }
          return groupFields(applyPatch(before, operations))
        }),
      )
    },

    async remove(actor: Provisioner, id: string): Promise<void> {
      await database.transact(async (tx) => {
        const row = await find(actor, id, tx)
        await audit.record(tx, actor, 'platform.scim-group.deleted', platformScope, infoOf(row))
        const members = await membersOf(tx, [id])
        await deleteGroup(tx, id)
        await review(
          tx,
          actor,
          members.map(({ user_id }) => user_id),
          row,
        )
      })
    },

    /** Every group of every directory, for administrators. */
    all: async (): Promise<ScimGroup[]> =>
      (await countedGroups(read)).map((row) => ({
        id: row.id,
        directory: row.directory,
        name: row.display_name,
        members: Number(row.members),
        updatedAt: iso(row.updated_at),
      })),
  }
}
