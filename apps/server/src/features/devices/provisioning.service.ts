import {
  limits,
  type PageQuery,
  type ProvisioningToken,
  type ProvisioningTokenCreate,
  type ProvisioningTokenPatch,
} from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { pageOf } from '../../platform/db/page.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { type Audit, changes, teamScope } from '../audit/index.ts'
import { instanceRef } from '../instances/index.ts'
import type { DeviceRecords } from './devices.records.ts'
import type { Devices } from './devices.service.ts'
import { instancesOf } from './devices.store.ts'
import {
  countTokens,
  deleteProvisioning,
  deleteProvisioningBy,
  findToken,
  insertProvisioning,
  listTokens,
  type ProvisioningRow,
  updateProvisioning,
  useProvisioning,
  type WholeToken,
} from './provisioning.store.ts'

export interface ProvisioningDependencies {
  database: Database
  clock: Clock
  audit: Audit
  deviceRecords: DeviceRecords
  devices: Pick<Devices, 'get'>
}

export type Provisioning = ReturnType<typeof createProvisioning>

type Times = Pick<ProvisioningTokenPatch, 'expiresAt' | 'expiryAt'>

/** Tokens with which devices register themselves with a team. */
export function createProvisioning({ database, clock, audit, devices, deviceRecords }: ProvisioningDependencies) {
  const { add } = deviceRecords

  /** @throws Failure invalid_request for a time that has passed, unless it was so before. */
  function expiryOf({ expiresAt, expiryAt }: Times, before: number | null): number | null {
    const time = expiresAt === undefined ? expiryAt : expiresAt
    if (time === undefined) return before
    if (time === null) return null
    const at = Date.parse(time)
    if (at <= clock.now() && at !== before)
      throw fail('invalid_request', 'expiryAt: choose a time in the future', { field: 'expiryAt' })
    return at
  }

  /** @throws Failure invalid_request for an instance that is not of the team. */
  async function instanceIn(db: Db, teamId: string, id: string | null | undefined) {
    if (!id) return null
    const instance = (await instancesOf(db, [id])).get(id)
    if (instance?.team_id !== teamId)
      throw fail('invalid_request', 'instance: choose an instance of this team', { field: 'instance' })
    return instance
  }

  async function whole(db: Db, teamId: string, id: string): Promise<WholeToken> {
    const row = await findToken(db, teamId, id)
    if (!row) throw fail('not_found')
    return row
  }

  /** The instance of a token. @throws Failure invalid_instance when it is gone, or moved to another team. */
  async function instanceFor(tx: Tx, { instance_id: id, team_id: teamId }: ProvisioningRow) {
    if (id === null) return null
    const instance = (await instancesOf(tx, [id])).get(id)
    if (instance?.team_id !== teamId)
      throw fail('invalid_instance', 'The instance of this provisioning token is gone', { field: 'instance' })
    return instance
  }

  return {
    async list(teamId: string, { query, search, ...page }: PageQuery) {
      const of = { teamId, text: (query ?? search ?? '').trim() }
      const { rows, ...list } = await pageOf(page, async (portion) => ({
        rows: await listTokens(database.read, of, portion),
        count: await countTokens(database.read, of),
      }))
      return { ...list, tokens: rows.map(view) }
    },

    /** @throws Failure invalid_request that names the instance or the expiry. */
    async create(actor: Actor, teamId: string, { name, instance, ...times }: ProvisioningTokenCreate) {
      const token = newToken('ffadp')
      const id = newId()
      await database.transact(async (tx) => {
        const chosen = await instanceIn(tx, teamId, instance)
        await insertProvisioning(tx, {
          id,
          team_id: teamId,
          name,
          token_hash: hashToken(token),
          instance_id: chosen?.id ?? null,
          expires_at: expiryOf(times, null),
          uses: 0,
          last_used_at: null,
          created_at: clock.now(),
          created_by: actor.kind === 'user' ? actor.userId : null,
        })
        const project = chosen && { project: instanceRef(chosen) }
        const body = { info: { tokenId: id, tokenName: name }, ...project }
        await audit.record(tx, actor, 'team.device.provisioning.created', teamScope(teamId), body)
      })
      return { ...view(await whole(database.read, teamId, id)), token }
    },

    /** Fields that are not there stay. @throws Failure not_found, invalid_request. */
    async update(actor: Actor, teamId: string, id: string, { instance, ...times }: ProvisioningTokenPatch) {
      await database.transact(async (tx) => {
        const row = await whole(tx, teamId, id)
        const isSame = instance === undefined || instance === row.instance_id
        const next = {
          instance_id: isSame ? row.instance_id : ((await instanceIn(tx, teamId, instance))?.id ?? null),
          expires_at: expiryOf(times, row.expires_at),
        }
        const updates = changes(shown(row), shown(next))
        if (updates.length === 0) return
        await updateProvisioning(tx, id, next)
        const body = { info: { tokenId: id, tokenName: row.name }, updates }
        await audit.record(tx, actor, 'team.device.provisioning.updated', teamScope(teamId), body)
      })
      return view(await whole(database.read, teamId, id))
    },

    /** Deletes the tokens that somebody has made, who may have kept them and must not add devices any more. */
    async endOf(tx: Tx, actor: Actor, userId: string): Promise<void> {
      for (const { id: tokenId, name: tokenName, teamId } of await deleteProvisioningBy(tx, userId)) {
        const body = { info: { tokenId, tokenName } }
        await audit.record(tx, actor, 'team.device.provisioning.deleted', teamScope(teamId), body)
      }
    },

    /** @throws Failure not_found. */
    async delete(actor: Actor, teamId: string, id: string): Promise<void> {
      await database.transact(async (tx) => {
        const { name } = await whole(tx, teamId, id)
        if (!(await deleteProvisioning(tx, id))) throw fail('not_found')
        const body = { info: { tokenId: id, tokenName: name } }
        await audit.record(tx, actor, 'team.device.provisioning.deleted', teamScope(teamId), body)
      })
    },

    /**
     * Adds the device of an agent, which names it after its host and its token: what is too long is cut, since no
     * agent can choose.
     * @throws Failure unauthorized when the token was revoked meanwhile; invalid_instance when its instance is gone.
     */
    async register(actor: Extract<Actor, { kind: 'provisioning' }>, said: { name: string; type: string }) {
      const { id, credentials } = await database.transact(async (tx) => {
        const token = await useProvisioning(tx, actor.tokenId, clock.now())
        if (!token) throw fail('unauthorized')
        const instance = await instanceFor(tx, token)
        const wish = { teamId: token.team_id, name: kept(said.name) || 'Device', type: kept(said.type) }
        return add(tx, actor, { ...wish, instance, token })
      })
      return { ...(await devices.get(id)), credentials }
    },
  }
}

const kept = (text: string) => text.replaceAll('\0', '').slice(0, limits.nameMax).trim()

const shown = ({ instance_id, expires_at }: Pick<ProvisioningRow, 'instance_id' | 'expires_at'>) => ({
  instance: instance_id,
  expiresAt: expires_at === null ? null : iso(expires_at),
})

function view(row: WholeToken): ProvisioningToken {
  const expiresAt = row.expires_at === null ? null : iso(row.expires_at)
  return {
    id: row.id,
    name: row.name,
    team: row.team_id,
    ...(row.instance_id === null ? {} : { instance: row.instance_id }),
    ...(row.instance_name === null ? {} : { instanceName: row.instance_name }),
    ...(row.snapshot_name === null ? {} : { targetSnapshot: row.snapshot_name }),
    expiresAt,
    expiryAt: expiresAt,
    createdAt: iso(row.created_at),
    uses: row.uses,
    lastUsedAt: row.last_used_at === null ? null : iso(row.last_used_at),
  }
}
