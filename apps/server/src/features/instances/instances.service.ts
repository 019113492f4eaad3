import {
  type Instance,
  type InstanceCreate,
  type InstanceState,
  type InstanceSummary,
  type Job,
  limits,
  type LogEntry,
  type PageQuery,
} from '@app/contract'
import { randomBytes } from 'node:crypto'
import type { Actor } from '../../platform/authz/actor.ts'
import { fail } from '../../platform/http/failure.ts'
import { newInstanceId } from '../../platform/ids.ts'
import type { Catalogue } from '../catalogue/index.ts'
import { type TeamRow, teamRef } from '../teams/index.ts'
import { instanceRef, type LifecycleDependencies, type Operation, secretContext } from './instances.lifecycle.ts'
import {
  type BriefInstance,
  countOfTeam,
  findByName,
  findWhole,
  insertInstance,
  type InstanceRow,
  listBrief,
  listWhole,
  takeOff,
} from './instances.store.ts'
import { instanceSummaryView, instanceView, shownState, stateView } from './instances.view.ts'

const flightMs = 10 * 60_000
const deleteTimeoutMs = 25_000

/** What each action shows while it is under way. */
const flights = { start: 'starting', stop: 'stopping', restart: 'restarting', suspend: 'suspending' } as const
export type Action = keyof typeof flights

declare module '../../platform/http/context.ts' {
  interface Targets {
    instance: { instance: InstanceRow; role: number }
  }
}

export type { InstanceRow }
export type Instances = ReturnType<typeof createInstances>

/** Instances: made, read, acted upon. What takes time is a job; the state shown is always a recorded one. */
export function createInstances(deps: LifecycleDependencies & { catalogue: Catalogue }) {
  const { database, bus, clock, jobs, audit, driver, addresses } = deps
  const { read } = database

  async function get(id: string): Promise<Instance> {
    const row = await findWhole(read, id)
    if (!row) throw fail('not_found')
    return instanceView(row, addresses, clock.now())
  }

  const announce = (tx: Parameters<typeof bus.publish>[0], row: BriefInstance) =>
    bus.publish(tx, {
      type: 'instance',
      team: row.team_id,
      application: row.application_id,
      id: row.id,
      state: stateView(row, clock.now()),
    })

  /** Marks the instance and queues the job, or refuses because another operation is under way. */
  async function launch(instance: InstanceRow, state: string, kind: string, operation: Operation): Promise<Job> {
    return database.transact(async (tx) => {
      const row = await takeOff(tx, instance.id, state, clock.now(), clock.now() + flightMs)
      if (!row) throw fail('invalid_state')
      await announce(tx, row)
      return jobs.enqueue(tx, kind, { subject: instance.id, teamId: instance.team_id, payload: operation })
    })
  }

  return {
    get,
    launch,
    async ofTeam(teamId: string, query: PageQuery) {
      const limit = query.limit ?? limits.pageMax
      const rows = await listWhole(read, teamId, { cursor: query.cursor, limit, text: query.query ?? query.search })
      const now = clock.now()
      const meta = rows.length === limit ? { next_cursor: rows.at(-1)!.id } : {}
      return {
        meta,
        count: await countOfTeam(read, teamId),
        projects: rows.map((row) => instanceView(row, addresses, now)),
      }
    },

    /** Every instance of a team or an application with its summary and state, oldest first. */
    async brief(
      owner: { teamId: string } | { applicationId: string },
    ): Promise<{ applicationId: string; summary: InstanceSummary; state: InstanceState & { id: string } }[]> {
      const now = clock.now()
      return (await listBrief(read, owner)).map((row) => ({
        applicationId: row.application_id,
        summary: instanceSummaryView(row, addresses),
        state: { id: row.id, ...stateView(row, now) },
      }))
    },

    async create(actor: Actor, team: Pick<TeamRow, 'id' | 'name' | 'slug'>, input: InstanceCreate): Promise<Instance> {
      const chosen = await deps.catalogue.choose(input)
      const name_key = input.name.toLowerCase()
      const taken = () => fail('invalid_project_name', 'The name is already in use', { field: 'name' })
      if (await findByName(read, name_key)) throw taken()
      const id = newInstanceId()
      const now = clock.now()
      const row: InstanceRow = {
        id,
        team_id: team.id,
        application_id: input.applicationId,
        name: input.name,
        name_key,
        type_id: chosen.type.id,
        stack_id: chosen.stack.id,
        template_id: chosen.template.id,
        settings: '{}',
        wanted: 'running',
        in_flight: flights.start,
        in_flight_until: now + flightMs,
        observed: 'stopped',
        reason: null,
        versions: null,
        last_start_at: null,
        flows_updated_at: null,
        credential_secret: deps.vault.seal(randomBytes(32).toString('hex'), secretContext(id)),
        client_id: null,
        client_secret_hash: null,
        created_at: now,
        updated_at: now,
      }
      await database.transact(async (tx) => {
        if (!(await insertInstance(tx, row))) throw taken()
        const body = { team: teamRef(team), project: instanceRef(row) }
        await audit.record(tx, actor, 'project.created', { type: 'team', id: team.id, team: team.id }, body)
        await audit.record(tx, actor, 'project.created', { type: 'project', id, team: team.id }, body)
        await jobs.enqueue(tx, 'instance.create', { subject: id, teamId: team.id, payload: { actor } })
        await bus.publish(tx, { type: 'team', team: team.id })
      })
      return get(id)
    },

    /** @throws Failure invalid_state while another operation is under way; project_suspended. */
    async act(actor: Actor, instance: InstanceRow, action: Action): Promise<void> {
      const state = shownState(instance, clock.now())
      if (action === 'start' && state === 'running') return
      if (action !== 'start' && state === 'suspended') throw fail('project_suspended')
      await launch(instance, flights[action], `instance.${action}`, { actor })
    },

    /** Deletes and waits for it; a failure leaves the instance as it was. */
    async delete(actor: Actor, instance: InstanceRow): Promise<void> {
      const ended = Promise.withResolvers<void>()
      const unsubscribe = bus.subscribe((event) => {
        if (event.type === 'instance.deleted' && event.id === instance.id) ended.resolve()
        if (event.type === 'job' && event.subject === instance.id && event.job.state === 'failed') {
          ended.reject(fail('unexpected_error', event.job.error))
        }
      })
      const timer = setTimeout(() => ended.resolve(), deleteTimeoutMs)
      try {
        await launch(instance, 'stopping', 'instance.delete', { actor })
        await ended.promise
      } finally {
        unsubscribe()
        clearTimeout(timer)
      }
    },

    jobs: async (id: string): Promise<Job[]> => jobs.list(id, 10),

    /** Lines oldest first; `previous_cursor` leads to older ones, `next_cursor` to newer ones. */
    async logs(instance: InstanceRow, query: { cursor?: string | undefined; limit?: number | undefined }) {
      if (shownState(instance, clock.now()) === 'suspended') throw fail('project_suspended')
      const limit = query.limit ?? limits.logPage
      const log: LogEntry[] = await driver.logs(instance.id, {
        limit,
        ...(query.cursor ? { cursor: query.cursor } : {}),
      })
      const [first, last] = [log.at(0), log.at(-1)]
      const after = query.cursor && !query.cursor.startsWith('-') ? query.cursor : undefined
      const newest = last?.ts ?? after
      return {
        meta: {
          ...(first && !after && log.length === limit ? { previous_cursor: `-${first.ts}` } : {}),
          ...(newest ? { next_cursor: newest } : {}),
        },
        log,
      }
    },
  }
}
