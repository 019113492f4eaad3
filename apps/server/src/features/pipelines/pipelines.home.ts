import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { fail } from '../../platform/http/failure.ts'
import { type Audit, teamScope } from '../audit/index.ts'
import type { Deployments } from '../deployments/index.ts'
import type { Instances } from '../instances/index.ts'
import { type TeamRow, teamRef } from '../teams/index.ts'
import { lockPipeline, type PipelineRow } from './pipelines.store.ts'

/** The application that pipelines are of, with its team. */
export interface Home {
  id: string
  name: string
  team: Pick<TeamRow, 'id' | 'name' | 'slug'>
}
export type LoadedPipeline = PipelineRow & { application: Home }
declare module '../../platform/http/context.ts' {
  interface Targets {
    pipeline: { pipeline: LoadedPipeline; role: number }
  }
}

export interface PipelinesDependencies {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
  instances: Pick<Instances, 'several'>
  deployments: Pick<Deployments, 'lastPushes' | 'pushChanges'>
}

/** @throws Failure invalid_name for one that is empty or cannot be kept. */
export function named(name: string, what: 'pipeline' | 'stage'): string {
  if (name === '' || name.includes('\0')) throw fail('invalid_name', `A ${what} needs a name`, { field: 'name' })
  return name
}

/** Where the audit log tells of pipelines. */
export const auditScopeOf = ({ team }: Home) => teamScope(team.id)

/** The common fields of entries about a pipeline. */
export const bodyOf = (home: Home, { id, name }: { id: string; name: string }) => ({
  team: teamRef(home.team),
  application: { id: home.id, name: home.name },
  pipeline: { id, name },
})

/** Has the browsers of the team read its lists anew. */
export async function announce(tx: Tx, bus: Bus, { team }: Home): Promise<void> {
  await bus.publish(tx, { type: 'team', team: team.id })
}

/** The pipeline of this application, which nobody else changes meanwhile. @throws Failure not_found. */
export async function lockedPipeline(tx: Tx, database: Database, home: Home, id: string): Promise<PipelineRow> {
  const row = await lockPipeline(tx, id, database.kind === 'postgres')
  if (row?.application_id !== home.id) throw fail('not_found')
  return row
}
