import { jsonColumn } from '../../platform/db/json.ts'
import { type Deploy, FlowChanges, type FlowVersion } from '@app/contract'
import { blobHash, packBlob, type Packed, keepBlob, readBlob } from '../../platform/blobs/blobs.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { sleepObstacle } from '../flows/index.ts'
import { lockInstance, updateInstance, instanceEvent } from '../instances/index.ts'
import { readContents, storageContext, writeStorage } from '../storage/index.ts'
import { flowChanges } from './versions.diff.ts'
import {
  findVersion,
  insertVersion,
  type ListedVersion,
  listVersions,
  newestVersion,
  trimVersions,
  type VersionKind,
  type VersionRow,
} from './versions.store.ts'

/** Number of versions kept of each instance; the refused ones are counted apart, lest they push the others out. */
const keptVersions = { stored: 50, refused: 20 } as const
/** Comparing larger flows would hold up everyone else for too long. */
const comparedBytes = 4 * 1024 * 1024

/** Flows made ready outside of a transaction. */
export interface PreparedFlows {
  text: string
  value: unknown
  packed: Packed
}

/** Origin of a change of flows. */
export interface Origin {
  kind: VersionKind
  /** `claimed`: the instance says so, and did not show it. */
  by?: { id: string; name: string; claimed?: boolean } | undefined
  from?: Pick<VersionRow, 'id' | 'created_at'>
  /** The deployment that brings it, or puts it back. */
  deployment?: string
}

/** The changes; an absent part stays as it is. Credentials are the text that Node-RED reads and writes. */
export interface FlowsChange {
  flows?: PreparedFlows | undefined
  credentials?: string | undefined
}

export type Versions = ReturnType<typeof createVersions>

/** Prepares flows, given as JSON text, as their value, or both, for being stored. */
export async function prepareFlows(text: string, value: unknown = JSON.parse(text)): Promise<PreparedFlows> {
  return { text, value, packed: await packBlob(text) }
}

/** Flows and credentials of instances as they are written: each change of them is kept as a version. */
export function createVersions(deps: { database: Database; vault: Vault; clock: Clock; bus: Bus }) {
  const { database, vault, clock, bus } = deps
  const { read } = database

  /** The stored contents and their version. */
  async function stateOf(tx: Tx, id: string) {
    const stored = await readContents(tx, id)
    return { stored, newest: await newestVersion(tx, id, false) }
  }

  const seal = (id: string, credentials: string) => vault.seal(credentials, storageContext(id, 'credentials'))

  async function add(
    tx: Tx,
    id: string,
    origin: Origin,
    { value, packed }: PreparedFlows,
    more: Pick<VersionRow, 'credentials' | 'changes'>,
  ): Promise<void> {
    await keepBlob(tx, packed)
    await insertVersion(tx, {
      id: newId(),
      instance_id: id,
      kind: origin.kind,
      user_id: origin.by?.id ?? null,
      user_name: origin.by?.name ?? null,
      user_claimed: origin.by?.claimed ? 1 : 0,
      from_id: origin.from?.id ?? null,
      from_at: origin.from?.created_at ?? null,
      deployment_id: origin.deployment ?? null,
      flows_hash: packed.hash,
      nodes: Array.isArray(value) ? value.length : 0,
      created_at: clock.now(),
      ...more,
    })
    const refused = origin.kind === 'refused'
    await trimVersions(tx, id, refused, refused ? keptVersions.refused : keptVersions.stored)
  }

  /** Stores what changed and keeps it as a version, unless nothing differs from the newest. */
  async function write(
    tx: Tx,
    id: string,
    { flows, credentials }: FlowsChange,
    origin: Origin,
    before?: Awaited<ReturnType<typeof stateOf>>,
  ): Promise<void> {
    const now = clock.now()
    const { stored, newest } = before ?? (await stateOf(tx, id))
    const isNew = credentials !== undefined && !isSealed(id, stored.credentials, credentials)
    const sealed = isNew ? seal(id, credentials) : (stored.credentials ?? null)
    if (isNew && sealed) await writeStorage(tx, id, 'credentials', sealed, now)
    if (!flows) return
    const obstacle = sleepObstacle(flows.value)
    await writeStorage(tx, id, 'flows', flows.text, now)
    const row = await updateInstance(tx, id, { flows_updated_at: now, sleep_obstacle: obstacle })
    if (newest?.flows_hash !== flows.packed.hash || newest.credentials !== sealed)
      await add(tx, id, origin, flows, { credentials: sealed, changes: compare(stored.flows, flows) })
    if (!row) return
    const event = instanceEvent(row, now)
    await bus.publish(tx, { ...event, state: { ...event.state, sleepObstacle: obstacle } })
  }

  /** Is this what was sealed? */
  const isSealed = (id: string, stored: string | undefined, credentials: string) =>
    stored !== undefined && vault.open(stored, storageContext(id, 'credentials')) === credentials

  return {
    write,

    /**
     * Stores a deploy if the flows it began from are still those that are stored; otherwise it is kept as a version
     * that was refused.
     * @throws Failure flows_replaced.
     */
    async deploy(id: string, input: Deploy, by: Origin['by']): Promise<{ revision: string }> {
      const flows = await prepareFlows(JSON.stringify(input.flows), input.flows)
      const { hash } = flows.packed
      const credentials = input.credentials && JSON.stringify(input.credentials)
      const refused = await database.transact(async (tx) => {
        if (!(await lockInstance(tx, id, database.kind === 'postgres'))) throw fail('not_found')
        const before = await stateOf(tx, id)
        const { stored, newest } = before
        const current = newest?.flows_hash ?? blobHash(stored.flows ?? '[]')
        const isSame = credentials === undefined || isSealed(id, stored.credentials, credentials)
        // The same once more: it was stored, and the answer was lost on the way.
        const passes = current === input.basis || (current === hash && isSame)
        if (passes && !input.refused) {
          await write(tx, id, { flows, credentials }, { kind: 'deploy', by }, before)
          return false
        }
        // A person who presses Deploy once more has not lost anything more.
        if ((await newestVersion(tx, id, true))?.flows_hash === hash || (current === hash && isSame)) return true
        const sealed = credentials === undefined ? null : seal(id, credentials)
        await add(tx, id, { kind: 'refused', by }, flows, {
          credentials: sealed,
          changes: compare(stored.flows, flows),
        })
        return true
      })
      if (refused && !input.refused) throw fail('flows_replaced')
      return { revision: hash }
    },

    /** Every kept version, newest first. */
    async list(id: string): Promise<FlowVersion[]> {
      const rows = await listVersions(read, id)
      const [newest, ...stored] = rows.filter(({ kind }) => kind !== 'refused')
      // When a failed deployment put flows back, their version before it is current too.
      const wasPutBack = stored.some((row) => row.deployment_id !== null && row.deployment_id === newest?.deployment_id)
      const before = wasPutBack ? stored.find((row) => row.flows_hash === newest?.flows_hash) : undefined
      return rows.map((row) => versionView(row, row.id === newest?.id || row.id === before?.id))
    },

    /**
     * One version of this instance with the parts it holds: flows as JSON text, and credentials where it has some. @throws
     * Failure not_found.
     */
    async get(
      id: string,
      versionId: string,
    ): Promise<{ version: VersionRow; held: { flows: string; credentials?: string } }> {
      const version = await findVersion(read, id, versionId)
      if (!version) throw fail('not_found')
      const { flows_hash, credentials } = version
      const held = { flows: await readBlob(read, flows_hash), ...(credentials === null ? {} : { credentials }) }
      return { version, held }
    },
  }
}

/** The changes as they are stored. */
function compare(before: string | undefined, { text, value }: PreparedFlows): string | null {
  if (Math.max(before?.length ?? 0, text.length) > comparedBytes) return null
  return JSON.stringify(flowChanges(JSON.parse(before ?? '[]'), value))
}

const changesOf = jsonColumn('flow_versions.changes', FlowChanges)

function versionView(row: ListedVersion, current: boolean): FlowVersion {
  return {
    id: row.id,
    createdAt: iso(row.created_at),
    kind: row.kind,
    ...(row.user_id === null
      ? {}
      : { [row.user_claimed ? 'claimedUser' : 'user']: { id: row.user_id, name: row.user_name ?? '' } }),
    ...(row.deployment_id === null ? {} : { deployment: row.deployment_id }),
    ...(row.from_id === null || row.from_at === null ? {} : { from: { id: row.from_id, createdAt: iso(row.from_at) } }),
    nodes: row.nodes,
    ...(row.changes === null ? {} : { changes: changesOf(row.changes, row.id) }),
    current,
  }
}
