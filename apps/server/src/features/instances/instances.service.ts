import {
  haReplicas,
  type Instance,
  type InstanceCreate,
  type InstanceListed,
  type InstanceListQuery,
  InstanceName,
  type InstancePatch,
  type InstanceState,
  type InstanceSummary,
  type Job,
  type PageQuery,
  type Usage,
} from '@app/contract'
import { randomBytes } from 'node:crypto'
import type { PortRange } from '../../config.ports.ts'
import { also } from '../../platform/features/services.ts'
import { type Actor, personOf } from '../../platform/authz/actor.ts'
import { whenBroken } from '../../platform/db/database.ts'
import { pageOf } from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newUuid } from '../../platform/ids.ts'
import { addressesIn, nodesIn } from '../flows/index.ts'
import { busy } from './instances.busy.ts'
import type { Contents } from '../contents/index.ts'
import { secretContext } from './instances.contexts.ts'
import { addressesOf } from './instances.running.ts'
import { checkModulesOf } from '../modules/index.ts'
import { createMove } from './instances.move.ts'
import { nextPort } from './instances.ports.store.ts'
import { untilDeleted } from './instances.deleted.wait.ts'
import { createUpdates } from './instances.update.ts'
import type { Catalogue } from '../catalogue/index.ts'
import type { Quotas } from '../team-types/index.ts'
import { type TeamRow, teamRef } from '../teams/index.ts'
import { bySystem, instanceRef, type LifecycleDependencies, type Operation } from './instances.lifecycle.ts'
import {
  countOfTeam,
  findWhole,
  listBrief,
  listByIds,
  listSummaries,
  listListed,
  listWhole,
  type Owner,
  type Page,
  type TeamReach,
} from './instances.lists.store.ts'
import {
  type BriefInstance,
  findByName,
  findInstance,
  countMoved,
  type From,
  insertInstance,
  type InstanceRow,
  beginOperation,
} from './instances.store.ts'
import { openView } from './instances.open.view.ts'
import { readStorage } from '../storage/index.ts'
import {
  instanceEvent,
  instanceSummaryView,
  instanceView,
  instanceViews,
  listedView,
  shownState,
  stateView,
  usageView,
} from './instances.view.ts'

const operationMs = 10 * 60_000

/** The state shown during each action. */
const transitional = { start: 'starting', stop: 'stopping', restart: 'restarting', suspend: 'suspending' } as const
export type Action = keyof typeof transitional

declare module '../../platform/http/context.ts' {
  interface Targets {
    instance: { instance: InstanceRow; role: number }
  }
}

export type { InstanceRow }
/** Starts an operation; `also` is written together with its start. */
export type Launch = (
  instance: Pick<InstanceRow, 'id' | 'team_id'>,
  change: { state: string; kind: string; from: From; asleep?: 1; background?: true },
  operation: Operation,
  also?: (tx: Tx) => Promise<void>,
) => Promise<void>
export type Instances = ReturnType<typeof createInstances>

function replicasOf({ ha }: Pick<InstanceCreate, 'ha'>): number | null {
  if (ha === undefined || ha.replicas === 1) return null
  if (ha.replicas !== haReplicas) throw fail('invalid_ha', undefined, { field: 'ha.replicas' })
  return haReplicas
}

/** Instances: made, read, acted upon. What takes time is a job; the state shown is always a recorded one. */
export function createInstances(
  deps: LifecycleDependencies & {
    catalogue: Catalogue
    contents: Contents
    quotas: Pick<Quotas, 'addInstance'>
    isHaOn: boolean
    /** New instances get one of these ports. */
    ports: PortRange | undefined
  },
) {
  const { database, bus, clock, jobs, audit, driver, addresses, hooks, contents, ports } = deps
  const { read } = database

  async function get(id: string): Promise<Instance> {
    const row = await findWhole(read, id)
    if (!row) throw fail('not_found')
    return instanceView(row, addresses, clock.now())
  }

  const announce = (tx: Tx, row: BriefInstance, more: { changed?: true } = {}) =>
    bus.publish(tx, { ...more, ...instanceEvent(row, clock.now()) })

  /** Why an operation could not begin; returns when there is nothing to do. */
  async function explain(tx: Tx, id: string, from: From, open: boolean): Promise<void> {
    const row = await findInstance(tx, id)
    if (!row) throw fail('not_found')
    // The pending state of an operation that waits for long ends before it: the state shown then says nothing of it.
    if (open) throw busy(row)
    const state = shownState(row, clock.now())
    if (from === 'awake' && state === 'suspended') throw fail('project_suspended')
    if (from === 'idle' && state === 'running') return
    throw busy(row)
  }

  /**
   * Claims the instance and queues the job, judging the state in the same step that changes it.
   * @throws Failure invalid_state while another operation is under way; project_suspended.
   */
  async function launch(...[instance, change, operation, also]: Parameters<Launch>): Promise<void> {
    const { kind, from, background = false } = change
    await database.transact(async (tx) => {
      const now = clock.now()
      const open = await jobs.isOpen(tx, instance.id)
      const row = open ? undefined : await beginOperation(tx, instance.id, { ...change, now, until: now + operationMs })
      if (!row) return explain(tx, instance.id, from, open)
      // One that sleeps is in use: it wakes for whoever opens its address.
      if (from === 'idle') await hooks.run('instance.starting', tx, instance)
      await also?.(tx)
      await announce(tx, row)
      const order = { subject: instance.id, teamId: instance.team_id, payload: operation, background }
      if (!(await jobs.enqueue(tx, kind, order))) throw busy()
    })
  }

  /** A page of what `list` shows of the instances of a team within reach. */
  async function pageOfTeam<T extends { id: string }>(
    of: TeamReach,
    query: PageQuery,
    list: (page: Page, now: number) => Promise<T[]>,
  ) {
    const text = query.query ?? query.search
    const { rows, ...page } = await pageOf(query, async (portion) => ({
      rows: await list({ ...portion, text }, clock.now()),
      count: await countOfTeam(read, of, text),
    }))
    return { ...page, projects: rows }
  }

  return {
    get,
    launch,
    /**
     * Refuses another name or host name: both are the address that people and programs know.
     * @throws Failure invalid_project_name, invalid_hostname.
     */
    keepAddress(
      instance: Pick<InstanceRow, 'name' | 'port'>,
      { name, hostname }: Pick<InstancePatch, 'name' | 'hostname'>,
    ) {
      if (name !== undefined && name !== instance.name) {
        const reason = 'An instance keeps its name, which is its address. Duplicate it under the new name instead.'
        throw fail('invalid_project_name', reason, { field: 'name' })
      }
      if (hostname !== undefined && hostname !== new URL(addresses.instanceUrl(instance)).hostname)
        throw fail('invalid_hostname', 'Instances cannot have host names of their own', { field: 'hostname' })
    },
    /** @throws Failure billing_required where the team may not have it. */
    checkType: async (instance: Pick<InstanceRow, 'id' | 'team_id'>, typeId: string): Promise<void> =>
      database.transact((tx) => hooks.run('instance.retyping', tx, instance, typeId)),
    /** The existing instances among these, in no order. */
    several: async (ids: readonly string[]): Promise<Instance[]> =>
      (await listByIds(read, ids)).map((row) => instanceView(row, addresses, clock.now())),
    ofTeam: async (of: TeamReach, query: InstanceListQuery) =>
      pageOfTeam<InstanceListed>(of, query, async (page, now) =>
        query.brief
          ? (await listListed(read, of, page)).map((row) => listedView(row, addresses, now))
          : instanceViews(await listWhole(read, of, page), addresses, now),
      ),

    /** The addresses a person may open who sees nothing else of a team's instances. */
    open: async (of: TeamReach, query: PageQuery) =>
      pageOfTeam(of, query, async (page, now) =>
        (await listWhole(read, of, page)).map((row) => openView(row, addresses, now)),
      ),

    /** Every instance of a team within reach, or of an application, oldest first. */
    async summaries(owner: Owner): Promise<{ applicationId: string; summary: InstanceSummary }[]> {
      const rows = await listSummaries(read, owner)
      return rows.map((row) => ({ applicationId: row.application_id, summary: instanceSummaryView(row, addresses) }))
    },

    /** The state of each of them, oldest first. */
    async states(owner: Owner): Promise<{ applicationId: string; state: InstanceState & { id: string } }[]> {
      const now = clock.now()
      const rows = await listBrief(read, owner)
      return rows.map((row) => ({ applicationId: row.application_id, state: { id: row.id, ...stateView(row, now) } }))
    },

    async create(actor: Actor, team: Pick<TeamRow, 'id' | 'name' | 'slug'>, input: InstanceCreate): Promise<Instance> {
      const named = InstanceName.safeParse(input.name)
      if (!named.success) throw fail('invalid_project_name', named.error.issues[0]?.message, { field: 'name' })
      const replicas = replicasOf(input)
      if (replicas !== null && !(deps.isHaOn && driver.pair))
        throw fail('invalid_ha', 'High availability is switched off on this platform', { field: 'ha' })
      const chosen = await deps.catalogue.choose(input)
      const name_key = input.name.toLowerCase()
      const taken = () => fail('invalid_project_name', 'The name is already in use', { field: 'name' })
      if (await findByName(read, name_key)) throw taken()
      const { sourceProject } = input
      const copy =
        sourceProject &&
        (await contents.copyOf(sourceProject.id, sourceProject.options, {
          applicationId: input.applicationId,
          teamId: team.id,
        }))
      const id = newUuid()
      const settings = copy ? JSON.stringify(copy.settings(id)) : '{}'
      const rules = { template_settings: chosen.template.settings, template_policy: chosen.template.policy }
      checkModulesOf({ settings: '{}', ...rules }, settings, 'sourceProject')
      const now = clock.now()
      const row: InstanceRow = {
        id,
        team_id: team.id,
        application_id: input.applicationId,
        name: input.name,
        name_key,
        port: null,
        type_id: chosen.type.id,
        stack_id: chosen.stack.id,
        template_id: chosen.template.id,
        settings,
        settings_revision: 0,
        settings_running: 0,
        access_revision: 0,
        access_running: 0,
        modules_fault: null,
        wanted: 'running',
        in_flight: transitional.start,
        in_flight_until: now + operationMs,
        observed: 'stopped',
        reason: null,
        restart: null,
        versions: null,
        last_start_at: null,
        flows_updated_at: null,
        last_used_at: now,
        asleep: 0,
        sleep_obstacle: null,
        health_check: null,
        environment: null,
        on_errors: 'pass',
        flows_stopped: null,
        takeover: 'auto',
        replicas,
        members: null,
        open_editors: null,
        access: null,
        started_as: null,
        credential_secret: deps.vault.seal(randomBytes(32).toString('hex'), secretContext(id)),
        client_id: null,
        client_secret_hash: null,
        created_at: now,
        updated_at: now,
        deleted_at: null,
        deleted_by: null,
      }
      const change = database.transact(async (tx) => {
        await hooks.run('instance.coming', tx, row.application_id, row)
        await deps.quotas.addInstance(tx, team.id, { typeId: row.type_id, replicas })
        if (ports) {
          const port = await nextPort(tx, ports, database.kind === 'postgres')
          if (port === undefined) throw fail('ports_exhausted')
          row.port = port
        }
        if (!(await insertInstance(tx, row))) throw taken()
        const body = { team: teamRef(team), project: instanceRef(row) }
        await audit.record(tx, actor, 'project.created', { type: 'team', id: team.id, team: team.id }, body)
        await audit.record(tx, actor, 'project.created', { type: 'project', id, team: team.id }, body)
        if (copy) {
          await contents.write(tx, row, copy.contents, { kind: 'duplicate', by: personOf(actor) })
          await hooks.run('instance.copied', tx, { row, actor, source: copy.source, flows: copy.contents.flows?.text })
          const both = { project: instanceRef(row), sourceProject: copy.source }
          await audit.record(tx, actor, 'project.duplicated', { type: 'team', id: team.id, team: team.id }, both)
          await audit.record(tx, actor, 'project.duplicated', { type: 'project', id, team: team.id }, both)
        }
        await jobs.enqueue(tx, 'instance.create', { subject: id, teamId: team.id, payload: { actor } })
        await announce(tx, row)
        await bus.publish(tx, { type: 'team', team: team.id })
      })
      // The application was deleted since the request was let through.
      await change.catch(whenBroken('reference', () => fail('not_found')))
      return get(id)
    },

    /** Starting what runs has no effect. @throws Failure invalid_state, project_suspended. */
    async act(actor: Actor, instance: InstanceRow, action: Action): Promise<void> {
      const from = action === 'start' ? 'idle' : 'awake'
      await launch(instance, { state: transitional[action], kind: `instance.${action}`, from }, { actor })
    },

    /** Brings an instance up that should run, for nobody in particular; `again` after a crash. */
    revive: async (instance: Pick<InstanceRow, 'id' | 'team_id'>, again?: { safe: boolean }): Promise<void> =>
      launch(
        instance,
        { state: transitional.start, kind: 'instance.start', from: 'awake', background: true },
        { ...bySystem, ...(again ? { again } : {}) },
      ),

    /** Restarts one that was told addresses which are not those of today. */
    readdress: async (instance: Pick<InstanceRow, 'id' | 'team_id'>): Promise<void> =>
      launch(
        instance,
        { state: transitional.restart, kind: 'instance.restart', from: 'awake', background: true },
        bySystem,
      ),
    /** Number of running instances that were told other addresses than those of today. */
    countMoved: () => countMoved(read, (row) => addressesOf(deps, row)),

    /** Suspends an idle instance until it is needed. @throws Failure invalid_state when it does not just run. */
    sleep: async (instance: Pick<InstanceRow, 'id' | 'team_id'>): Promise<void> =>
      launch(instance, { state: transitional.suspend, kind: 'instance.sleep', from: 'running', asleep: 1 }, bySystem),

    /** Starts a sleeping instance. @throws Failure invalid_state when it does not sleep, or wakes already. */
    wake: async (instance: Pick<InstanceRow, 'id' | 'team_id'>): Promise<void> =>
      launch(instance, { state: transitional.start, kind: 'instance.wake', from: 'asleep' }, bySystem),

    update: createUpdates(also(deps, { get })),

    move: createMove(also(deps, { get })),

    /** Deletes, so that it can be had back for a while, and waits for it; a failure leaves the instance as it was. */
    async delete(actor: Actor, instance: InstanceRow): Promise<void> {
      await untilDeleted(bus, instance.id, () =>
        launch(instance, { state: transitional.stop, kind: 'instance.delete', from: 'any' }, { actor }),
      )
    },

    async usage(id: string): Promise<Usage | null> {
      const usage = await driver.usage(id)
      return usage ? usageView(usage, clock.now()) : null
    },

    /** Addresses that a health check of it could ask. */
    async checkPaths(id: string): Promise<string[]> {
      return addressesIn(nodesIn((await readStorage(database.read, id, 'flows')) ?? '[]'))
    },

    jobs: async (id: string): Promise<Job[]> => jobs.list(id, 10),
  }
}
