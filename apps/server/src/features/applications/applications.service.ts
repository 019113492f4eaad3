import {
  type Application,
  type ApplicationSummary,
  type ApplicationWithInstances,
  type InstanceState,
} from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Reach } from '../../platform/authz/reach.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import { type Database, whenBroken } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { type Audit, changes, teamScope } from '../audit/index.ts'
import type { Instances } from '../instances/index.ts'
import { type TeamRow, teamRef, teamSummaryView } from '../teams/index.ts'
import {
  type ApplicationRow,
  applicationExists,
  deleteApplication,
  insertApplication,
  listApplications,
  lockApplication,
  updateApplication,
} from './applications.store.ts'

export type Team = Pick<TeamRow, 'id' | 'name' | 'slug'>
declare module '../../platform/http/context.ts' {
  interface Targets {
    application: { application: ApplicationRow & { team: Team }; role: number }
  }
}

export type Applications = ReturnType<typeof createApplications>

/** Applications group the instances of a team. */
export function createApplications(deps: {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
  instances: Instances
  baseUrl: string
}) {
  const { database, bus, clock, audit, instances, baseUrl } = deps

  const summary = (row: ApplicationRow): ApplicationSummary => ({
    id: row.id,
    name: row.name,
    links: { self: `${baseUrl}/api/v1/applications/${row.id}` },
  })
  const view = async (row: ApplicationRow, team: Team): Promise<Application> => ({
    ...summary(row),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    teamId: team.id,
    team: teamSummaryView(team, baseUrl),
    instances: (await instances.summaries({ applicationId: row.id })).map((one) => one.summary),
  })
  const ref = ({ id, name }: ApplicationRow) => ({ id, name })
  const named = (name: string): string => {
    if (name === '') throw fail('invalid_application_name', undefined, { field: 'name' })
    return name
  }

  async function insert(tx: Tx, actor: Actor, team: Team, name: string): Promise<ApplicationRow> {
    const row = {
      id: newId(),
      team_id: team.id,
      name: named(name),
      created_at: clock.now(),
      updated_at: clock.now(),
      deleted_at: null,
    }
    await insertApplication(tx, row)
    await audit.record(tx, actor, 'application.created', teamScope(team.id), {
      team: teamRef(team),
      application: ref(row),
    })
    await bus.publish(tx, { type: 'team', team: team.id })
    return row
  }

  return {
    view,
    insert,
    create: async (actor: Actor, team: Team, name: string): Promise<Application> =>
      view(await database.transact((tx) => insert(tx, actor, team, name)), team),

    async rename(actor: Actor, row: ApplicationRow, team: Team, name: string): Promise<Application> {
      const next = { ...row, name: named(name), updated_at: clock.now() }
      await database.transact(async (tx) => {
        await updateApplication(tx, row.id, { name: next.name, updated_at: next.updated_at })
        const body = { team: teamRef(team), application: ref(next), updates: changes({ name: row.name }, { name }) }
        await audit.record(tx, actor, 'application.updated', teamScope(team.id), body)
        await bus.publish(tx, { type: 'team', team: team.id })
      })
      return view(next, team)
    },

    async delete(actor: Actor, row: ApplicationRow, team: Team): Promise<void> {
      const change = database.transact(async (tx) => {
        // The embedded database has one transaction at a time.
        if (database.kind === 'postgres') await lockApplication(tx, row.id)
        if (!(await deleteApplication(tx, row.id, clock.now()))) {
          throw fail((await applicationExists(tx, row.id)) ? 'invalid_application' : 'not_found')
        }
        await audit.record(tx, actor, 'application.deleted', teamScope(team.id), {
          team: teamRef(team),
          application: ref(row),
        })
        await bus.publish(tx, { type: 'team', team: team.id })
      })
      // An instance was created between the look and the commit.
      await change.catch(whenBroken('reference', () => fail('invalid_application')))
    },

    /** The applications of a team within reach, oldest first, each with its instances. */
    async ofTeam(teamId: string, reach: Reach): Promise<ApplicationWithInstances[]> {
      const [rows, all] = [
        await listApplications(database.read, teamId, reach),
        await instances.summaries({ teamId, reach }),
      ]
      const grouped = Map.groupBy(all, ({ applicationId }) => applicationId)
      return rows.map((row) => ({
        ...summary(row),
        instances: grouped.get(row.id)?.map((entry) => entry.summary) ?? [],
      }))
    },

    /** The same applications with the state of each instance instead. */
    async statesOfTeam(
      teamId: string,
      reach: Reach,
    ): Promise<{ id: string; instances: (InstanceState & { id: string })[] }[]> {
      const [rows, all] = [
        await listApplications(database.read, teamId, reach),
        await instances.states({ teamId, reach }),
      ]
      const grouped = Map.groupBy(all, ({ applicationId }) => applicationId)
      return rows.map(({ id }) => ({ id, instances: grouped.get(id)?.map((entry) => entry.state) ?? [] }))
    },
  }
}
