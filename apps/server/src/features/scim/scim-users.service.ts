import type { AdminUserPatch, UserCreate } from '@app/contract'
import { reservedUsernames } from '@app/contract'
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { type Flag, flag, type Tx } from '../../platform/db/tables.ts'
import { Failure } from '../../platform/http/failure.ts'
import { firstFreeUsername, loginKey, updateUser } from '../account/index.ts'
import type { SsoDomains, SsoReviews } from '../sso/index.ts'
import { applyPatch, type Resource } from './patch.ts'
import { groupsOfUsers, removeFromAllGroups } from './scim-groups.store.ts'
import { notFound, ScimError } from './scim.errors.ts'
import { keptOf, readOperations, readResource, type UserFields, userFields } from './scim.resource.ts'
import type { Provisioner } from './scim-tokens.service.ts'
import { createScimRules } from './scim-users.rules.ts'
import {
  changeProvisioned,
  suspendedByHand,
  findByNames,
  type Found,
  findProvisioned,
  type ListPortion,
  listProvisioned,
  type Provisioned,
  putProvisioned,
} from './scim-users.store.ts'
import { providersOf } from './scim-tokens.store.ts'
import { keptResource, userResource } from './scim.view.ts'

type Within = (tx: Tx, userId: string) => Promise<void>

export interface ScimUsersDependencies {
  database: Database
  clock: Clock
  users: {
    create(actor: Actor, body: UserCreate, within?: Within): Promise<{ id: string }>
    update(actor: Actor, id: string, patch: AdminUserPatch, within?: Within): Promise<unknown>
  }
  ssoDomains: Pick<SsoDomains, 'providerFor'>
  ssoReviews: Pick<SsoReviews, 'request'>
  /** The address below which SCIM answers. */
  base: string
}

export type ScimUsers = ReturnType<typeof createScimUsers>

/** Times a user name is looked for that nobody takes meanwhile. */
const mostTries = 5

const taken = (detail: string) => new ScimError(409, detail, 'uniqueness')

/** User names that the platform could give to somebody, the best first. */
function wishesFor({ userName, email }: UserFields): string[] {
  const local = (userName.includes('@') ? userName.slice(0, userName.indexOf('@')) : userName) || email
  const plain = local
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-zA-Z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
  const base = plain || 'user'
  const numbered = Array.from({ length: 8 }, (_, n) => `${base}-${n + 2}`)
  return [base, ...numbered, `${base}-${randomBytes(6).toString('hex')}`]
}

/** Accounts as the directory of a company sees and changes them: those alone that it provisioned itself. */
export function createScimUsers({ database, clock, users, ssoDomains, ssoReviews, base }: ScimUsersDependencies) {
  const { read } = database
  const rules = createScimRules({ ssoDomains, postgres: database.kind === 'postgres' })

  async function find({ directory }: Provisioner, id: string): Promise<Provisioned> {
    const row = await findProvisioned(read, directory, id)
    if (!row) throw notFound()
    return row
  }

  async function views(rows: readonly Provisioned[]): Promise<Resource[]> {
    const groups = await groupsOfUsers(
      read,
      rows.map(({ user_id }) => user_id),
    )
    return rows.map((row) =>
      userResource(
        row,
        groups.filter(({ user_id }) => user_id === row.user_id),
        base,
      ),
    )
  }

  async function get(actor: Provisioner, id: string): Promise<Resource> {
    const [one] = await views([await find(actor, id)])
    return one!
  }

  const columnsFor = (fields: UserFields, resource: Resource) => ({
    user_name: fields.userName,
    user_name_key: loginKey(fields.userName),
    external_id: fields.externalId,
    display_name_key: loginKey(fields.displayName || fields.name),
    resource: JSON.stringify(keptOf(resource)),
    updated_at: clock.now(),
  })

  const rowFor = (id: string, { directory }: Provisioner, fields: UserFields, resource: Resource, suspended: Flag) => ({
    user_id: id,
    directory,
    ...columnsFor(fields, resource),
    suspended,
    removed_at: null,
    created_at: clock.now(),
  })

  /** Only a suspension by the directory is lifted by it. */
  function suspensionOf(
    row: { suspended: Flag | null; account_suspended: Flag },
    active: boolean | undefined,
  ): { patch: AdminUserPatch; suspended: Flag } {
    if (active === false && !row.account_suspended) return { patch: { suspended: true }, suspended: 1 }
    if (active === true && row.suspended)
      return { patch: row.account_suspended ? { suspended: false } : {}, suspended: 0 }
    return { patch: {}, suspended: row.suspended ?? 0 }
  }

  async function change(actor: Provisioner, row: Provisioned, resource: Resource): Promise<Resource> {
    const fields = userFields(resource)
    const sent = userFields({ userName: row.user_name, ...keptResource(row) })
    // An address that the directory does not change is left alone, so that it can suspend whose address it may not change.
    const address = fields.email === sent.email ? {} : await rules.addressFor(actor, row.email, fields.email)
    const { patch, suspended } = suspensionOf(row, fields.active)
    const account = { ...address, ...(fields.name === row.name ? {} : { name: fields.name }), ...patch }
    const renames = address.email !== undefined || fields.userName !== row.user_name
    await users.update(actor, row.user_id, account, async (tx, id) => {
      if (renames) await rules.refuseAdministrator(tx, id, 'change the address or the user name of an administrator')
      await changeProvisioned(tx, id, { ...columnsFor(fields, resource), suspended })
    })
    return get(actor, row.user_id)
  }

  /** Takes up an account that exists: one that this directory had deleted, or one it may adopt. */
  async function takeUp(actor: Provisioner, account: Found, fields: UserFields, resource: Resource): Promise<void> {
    const { patch, suspended } = suspensionOf(account, fields.active ?? true)
    const address = await rules.addressFor(actor, account.email, fields.email)
    await users.update(actor, account.id, { ...address, name: fields.name, ...patch }, async (tx, id) => {
      await rules.refuseAdministrator(tx, id, 'take over or bring back the account of an administrator')
      await putProvisioned(tx, rowFor(id, actor, fields, resource, suspended))
    })
  }

  /** Makes an account; `ofDomain`: with an address of the provider of the token. */
  async function insert(
    actor: Provisioner,
    fields: UserFields,
    resource: Resource,
    ofDomain: boolean,
    tries = 1,
  ): Promise<string> {
    const wishes = wishesFor(fields).filter((name) => !reservedUsernames.includes(loginKey(name)))
    const username = (await firstFreeUsername(read, wishes))!
    const suspended = fields.active === false
    // Nobody knows this password: the person signs in by single sign-on, or asks for a link to choose one.
    const password = randomBytes(32).toString('base64url')
    const body = { username, email: fields.email, name: fields.name, password }
    const made = users.create(actor, body, async (tx, userId) => {
      // The provider of the token signs them in at once: nobody could be asked for a password before.
      await updateUser(tx, userId, {
        sso_enabled: flag(ofDomain),
        local_password: 0,
        ...(suspended ? { suspended: 1 as const } : {}),
      })
      await putProvisioned(tx, rowFor(userId, actor, fields, resource, flag(suspended)))
    })
    return made.then(
      ({ id }) => id,
      (error: unknown) => {
        // Directories send many people at once, and somebody else was given the user name meanwhile.
        const isTaken = error instanceof Failure && error.code === 'invalid_username'
        if (!isTaken || tries === mostTries) throw error
        return insert(actor, fields, resource, ofDomain, tries + 1)
      },
    )
  }

  return {
    get,

    async list(actor: Provisioner, portion: Omit<ListPortion, 'directory'>) {
      const { rows, count } = await listProvisioned(read, { ...portion, directory: actor.directory })
      return { resources: await views(rows), count }
    },

    /** @throws ScimError uniqueness for a name or an address that somebody has; 403 for an address of another provider. */
    async create(actor: Provisioner, body: unknown): Promise<Resource> {
      const resource = readResource(body)
      const fields = userFields(resource)
      const found = await findByNames(read, actor.directory, fields)
      const own = found.filter(({ directory }) => directory === actor.directory)
      if (own.some(({ removed_at }) => removed_at === null)) throw taken('The directory has created this user already')
      const ofDomain = await rules.speaksFor(actor, fields.email)
      const removed = own.find(({ user_name_key }) => user_name_key === loginKey(fields.userName)) ?? own[0]
      const [other] = found.filter(({ directory }) => directory !== actor.directory)
      if (removed) {
        await takeUp(actor, removed, fields, resource)
        return get(actor, removed.id)
      }
      if (!other) return get(actor, await insert(actor, fields, resource, ofDomain))
      if (other.directory !== null) throw taken('Another directory provisions an account with this e-mail address')
      if (!actor.adopts || other.admin || !other.email_verified)
        throw taken('There is an account with this e-mail address, which this token may not take over')
      await takeUp(actor, other, fields, resource)
      return get(actor, other.id)
    },

    async replace(actor: Provisioner, id: string, body: unknown): Promise<Resource> {
      const row = await find(actor, id)
      return change(actor, row, readResource(body))
    },

    async patch(actor: Provisioner, id: string, body: unknown): Promise<Resource> {
      const row = await find(actor, id)
      const before = { userName: row.user_name, ...keptResource(row), active: row.account_suspended === 0 }
      const after = applyPatch(before, readOperations(body))
      return isDeepStrictEqual(before, after) ? get(actor, id) : change(actor, row, after)
    },

    /** Suspends the account for good; it is kept with what it owns, and comes back when it is created again. */
    async remove(actor: Provisioner, id: string): Promise<void> {
      const row = await find(actor, id)
      const { patch, suspended } = suspensionOf(row, false)
      await users.update(actor, id, patch, async (tx, userId) => {
        await changeProvisioned(tx, userId, { suspended, removed_at: clock.now(), updated_at: clock.now() })
        await removeFromAllGroups(tx, userId)
        await ssoReviews.request(tx, await providersOf(tx, actor.directory), [userId])
      })
    },

    /** A suspension that an administrator sets or lifts is theirs from then on, and no directory lifts it. */
    async userChanged(tx: Tx, actor: Actor, userId: string, patch: AdminUserPatch): Promise<void> {
      if (actor.kind !== 'scim' && patch.suspended !== undefined) await suspendedByHand(tx, userId)
    },
  }
}
