import { type Difference, type PageQuery, type Snapshot, type SnapshotCreate } from '@app/contract'
import type { Driver } from '@app/drivers'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Database } from '../../platform/db/database.ts'
import { pageOf } from '../../platform/db/page.ts'
import { type Db, flag, type Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import type { Audit } from '../audit/index.ts'
import { ownSettings, stackProperties } from '../catalogue/index.ts'
import {
  asInstalled,
  busy,
  findWhole,
  instanceEvent,
  instanceRef,
  type InstanceRow,
  type WholeInstance,
} from '../instances/index.ts'
import { checkModulesOf } from '../modules/index.ts'
import { effectiveSettings } from '../instance-settings/index.ts'
import { difference } from './contents.difference.ts'
import { type FlowNode, nodesIn } from '../flows/index.ts'
import { drawable, drawnBefore } from './flow.drawing.ts'
import {
  type ContentsDependencies,
  createHolding,
  dropContents,
  type Held,
  heldBy,
  keepContents,
  packContents,
  type PackedContents,
  readContents,
} from './snapshots.contents.ts'
import {
  countRunning,
  countSnapshots,
  deleteSnapshots,
  findSnapshot,
  findTarget,
  insertSnapshot,
  listSnapshots,
  listTakers,
  type SnapshotRow,
} from './snapshots.store.ts'
import { createTargets } from './snapshots.target.ts'
import { snapshotView } from './snapshots.view.ts'

export interface SnapshotsDependencies extends ContentsDependencies {
  database: Database
  audit: Audit
  jobs: Jobs
  driver: Driver
  baseUrl: string
}

/** The fields of a snapshot besides its contents. */
interface Label {
  name: string
  description: string
  userId: string | null
  automatic: boolean
}
type Taken = Pick<WholeInstance, 'id' | 'settings' | 'template_settings' | 'template_policy' | 'stack_properties'>

export type Snapshots = ReturnType<typeof createSnapshots>

/** Snapshots of instances: taken, listed, compared, deleted. Putting one back is a deployment. */
export function createSnapshots(deps: SnapshotsDependencies) {
  const { database, audit, clock, bus, jobs, contents, baseUrl } = deps
  const { read } = database
  const { open, replacement } = createHolding(deps)
  const targets = createTargets(deps)
  const auditScope = (row: Pick<InstanceRow, 'id' | 'team_id'>) => ({
    type: 'project' as const,
    id: row.id,
    team: row.team_id,
  })

  async function whole(id: string): Promise<WholeInstance> {
    const row = await findWhole(read, id)
    if (!row) throw fail('not_found')
    return row
  }

  /** Writes a snapshot whose contents are packed. */
  async function keep(
    tx: Tx,
    row: Taken,
    packed: PackedContents,
    settings: string,
    label: Label,
  ): Promise<SnapshotRow> {
    const now = clock.now()
    const snapshot: SnapshotRow = {
      id: newId(),
      instance_id: row.id,
      name: label.name,
      name_key: label.name.toLowerCase(),
      description: label.description,
      user_id: label.userId,
      automatic: flag(label.automatic),
      modules: JSON.stringify(modulesOf({ ...row, settings })),
      ...(await keepContents(tx, packed)),
      created_at: now,
      updated_at: now,
    }
    await insertSnapshot(tx, snapshot)
    return snapshot
  }

  async function tell(tx: Tx, id: string): Promise<void> {
    const row = await findWhole(tx, id)
    if (row) await bus.publish(tx, { ...instanceEvent(row, clock.now()), changed: true })
  }

  /** The contents sent in place of the instance's own. @throws Failure invalid_credentials_secret. */
  async function sent(row: WholeInstance, held: Held, input: SnapshotCreate): Promise<Held> {
    const { flows, credentials, credentialSecret } = input
    const parsed = await contents.parse({
      ...(flows ? { flows: JSON.stringify(flows) } : {}),
      ...(credentials ? { credentials: JSON.stringify(credentials) } : {}),
      ...(credentialSecret === undefined ? {} : { credsSecret: credentialSecret }),
    })
    // Credentials belong to their flows: those that are here mean nothing to flows from elsewhere.
    const own = parsed.flows === undefined ? held.credentials : null
    return {
      flows: parsed.flows?.text ?? held.flows,
      credentials: parsed.credentials ? contents.seal(row, parsed.credentials) : own,
      settings: input.settings?.modules ? withModules(held.settings, input.settings.modules) : held.settings,
    }
  }

  return {
    replacement,
    /** The contents of an instance now, also as a transaction sees them. */
    held: async (row: WholeInstance, db: Db = read): Promise<Held> => heldBy(db, row),

    /**
     * The changes that contents, or another stack, would make to an instance; parts that are not named stay. `known`
     * are its contents, where they were read already.
     */
    async compare(
      row: WholeInstance,
      brings: { held: Partial<Held>; ground?: { label: string } },
      known?: Held,
    ): Promise<Difference> {
      const old = row.stack_label || row.stack_name
      const stack = brings.ground && brings.ground.label !== old ? { stack: { old, new: brings.ground.label } } : {}
      if (Object.keys(brings.held).length === 0)
        return { nodes: [], modules: [], env: [], settings: [], names: {}, ...stack }
      const now = known ?? (await heldBy(read, row))
      return { ...difference(open(row, now), open(row, { ...now, ...brings.held })), ...stack }
    },

    /** `byPeople`: without those that the platform took by itself. */
    async list(instanceId: string, query: PageQuery & { byPeople?: boolean }) {
      const sought = { text: query.query ?? query.search, byPeople: query.byPeople }
      const { rows, ...page } = await pageOf(query, async (portion) => ({
        rows: await listSnapshots(read, instanceId, { ...portion, ...sought }),
        count: await countSnapshots(read, instanceId, sought),
      }))
      const users = await listTakers(read, rows)
      const devices = await countRunning(read, rows)
      return {
        ...page,
        snapshots: rows.map((row) =>
          snapshotView(row, users.get(row.user_id ?? ''), devices.get(row.id) ?? 0, baseUrl),
        ),
      }
    },

    /** @throws Failure not_found. */
    async get(instanceId: string, id: string): Promise<Snapshot> {
      const row = await findSnapshot(read, instanceId, id)
      if (!row) throw fail('not_found')
      const devices = (await countRunning(read, [row])).get(id) ?? 0
      return snapshotView(row, (await listTakers(read, [row])).get(row.user_id ?? ''), devices, baseUrl)
    },

    /** The snapshot of an instance, or undefined. */
    find: async (instanceId: string, id: string) => findSnapshot(read, instanceId, id),
    read: async (row: SnapshotRow) => readContents(read, row),

    /** The id of the snapshot that the devices of an instance shall run, or null. */
    target: async (instanceId: string): Promise<string | null> => (await findTarget(read, instanceId)) ?? null,
    targetFlows: targets.flows,
    checkTargetTaken: targets.checkTaken,

    /**
     * @throws Failure invalid_snapshot for one that the instance does not have; flows_not_started for one that has nothing
     * to run, unless `allowStopped` has `nodes`.
     */
    async setTarget(actor: Actor, instance: InstanceRow, id: string | null, allowStopped?: string[]): Promise<void> {
      const chosen = id === null ? undefined : await findSnapshot(read, instance.id, id)
      if (chosen) {
        const { flows, settings } = await readContents(read, chosen)
        checkModulesOf(await whole(instance.id), settings, 'targetSnapshot')
        await targets.checkEnabled(instance.id, flows, allowStopped)
      }
      await database.transact(async (tx) => {
        const row = id === null ? undefined : await findSnapshot(tx, instance.id, id)
        if (id !== null && !row) throw fail('invalid_snapshot', undefined, { field: 'targetSnapshot' })
        await targets.write(tx, actor, instance, row)
        await tell(tx, instance.id)
      })
    },

    async flows(instanceId: string, id: string): Promise<Record<string, unknown>[]> {
      const row = await findSnapshot(read, instanceId, id)
      if (!row) throw fail('not_found')
      return nodesIn((await readContents(read, row)).flows)
    },

    /**
     * The changes from the instance's contents now, or from another of its snapshots, to a snapshot. @throws Failure
     * not_found.
     */
    async changes(
      instanceId: string,
      id: string,
      from?: string,
    ): Promise<Difference & { removed: FlowNode[]; was: FlowNode[] }> {
      const row = await whole(instanceId)
      const after = await findSnapshot(read, instanceId, id)
      const before = from === undefined ? undefined : await findSnapshot(read, instanceId, from)
      if (!after || (from !== undefined && !before)) throw fail('not_found')
      const held = before ? await readContents(read, before) : await heldBy(read, row)
      const then = open(row, held)
      const now = open(row, await readContents(read, after))
      const found = difference(then, now)
      const gone = new Set(found.nodes.flatMap((node) => (node.change === 'removed' ? node.id : [])))
      const removed = then.flows.filter((node) => gone.has(node.id)).map(drawable)
      return { ...found, removed, was: drawnBefore(then.flows, now.flows, found) }
    },

    /**
     * `device`: whose flows the input has.
     * @throws Failure invalid_name, invalid_credentials_secret; flows_not_started as in `setTarget`.
     */
    async create(
      actor: Actor,
      instance: InstanceRow,
      input: SnapshotCreate,
      device?: { id: string; name: string },
    ): Promise<Snapshot> {
      const name = input.name.trim()
      if (name === '' || name.includes('\0')) throw fail('invalid_name', 'A snapshot needs a name', { field: 'name' })
      const before = await whole(instance.id)
      const stored = await heldBy(read, before)
      const row = await asInstalled(deps, before, stored.flows)
      const held = await sent(row, { ...stored, settings: row.settings }, input)
      if (input.setAsTarget) {
        checkModulesOf(row, held.settings, 'settings.modules')
        await targets.checkEnabled(row.id, held.flows, input.allowStopped)
      }
      const packed = await packContents(held)
      const label = {
        name,
        description: input.description?.trim() ?? '',
        userId: actor.kind === 'user' ? actor.userId : null,
        automatic: false,
      }
      const made = await database.transact(async (tx) => {
        const snapshot = await keep(tx, row, packed, held.settings, label)
        const body = { project: instanceRef(row), snapshot: { id: snapshot.id, name } }
        if (device)
          await audit.record(tx, actor, 'project.device.snapshot.created', auditScope(row), { ...body, device })
        else await audit.record(tx, actor, 'project.snapshot.created', auditScope(row), body)
        if (input.setAsTarget) await targets.write(tx, actor, row, snapshot)
        await tell(tx, row.id)
        return snapshot
      })
      return snapshotView(made, (await listTakers(read, [made])).get(made.user_id ?? ''), 0, baseUrl)
    },

    /** Packs what the instance holds now; what is returned keeps it as a snapshot of the platform's own. */
    async takeAutomatic(row: WholeInstance, name: string, description: string) {
      const stored = await heldBy(read, row)
      const now = await asInstalled(deps, row, stored.flows)
      const packed = await packContents({ ...stored, settings: now.settings })
      return (tx: Tx) => keep(tx, now, packed, now.settings, { name, description, userId: null, automatic: true })
    },

    /** @throws Failure not_found; invalid_state while something is done to the instance that may need it. */
    async delete(actor: Actor, instance: InstanceRow, id: string): Promise<void> {
      await database.transact(async (tx) => {
        const row = await findSnapshot(tx, instance.id, id)
        if (!row) throw fail('not_found')
        if (await jobs.isOpen(tx, instance.id)) throw busy(instance)
        await dropContents(tx, await deleteSnapshots(tx, instance.id, id))
        const body = { project: instanceRef(instance), snapshot: { id, name: row.name } }
        await audit.record(tx, actor, 'project.snapshot.deleted', auditScope(instance), body)
        await tell(tx, instance.id)
      })
    },
  }
}

/** Removes one snapshot of an instance, or all of them, with what nobody else keeps of their contents. */
export async function dropSnapshots(tx: Tx, instanceId: string, id?: string): Promise<void> {
  await dropContents(tx, await deleteSnapshots(tx, instanceId, id))
}

/** Modules by name with their versions, Node-RED among them. */
function modulesOf(row: Taken): Record<string, string> {
  const modules = effectiveSettings(row).palette?.modules ?? []
  const { nodered } = stackProperties({ properties: row.stack_properties })
  return { 'node-red': nodered, ...Object.fromEntries(modules.map(({ name, version }) => [name, version])) }
}

function withModules(settings: string, modules: Record<string, string>): string {
  const own = ownSettings({ settings })
  const list = Object.entries(modules)
    .filter(([name]) => name !== 'node-red')
    .map(([name, version]) => ({ name, version, local: false }))
  return JSON.stringify({ ...own, palette: { ...own.palette, modules: list } })
}
