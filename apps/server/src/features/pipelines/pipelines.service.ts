import type { Pipeline, Stage, StageChanges } from '@app/contract'
import { also } from '../../platform/features/services.ts'
import type { Actor } from '../../platform/authz/actor.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { changes } from '../audit/index.ts'
import {
  announce,
  auditScopeOf,
  bodyOf,
  type Home,
  lockedPipeline,
  named,
  type PipelinesDependencies,
} from './pipelines.home.ts'
import {
  deletePipeline,
  findPipeline,
  insertPipeline,
  listPipelines,
  listStages,
  type PipelineRow,
  renamePipeline,
  type StageRow,
} from './pipelines.store.ts'
import { pipelineView, stageView, type Surroundings } from './pipelines.view.ts'
import { createStages } from './stages.service.ts'

export type Pipelines = ReturnType<typeof createPipelines>

/** Pipelines of applications: instances one after the other. Running a stage is a push to the instance of the next. */
export function createPipelines(deps: PipelinesDependencies) {
  const { database, bus, clock, audit, instances, deployments } = deps
  const { read } = database
  /** The instances of these stages that are still in the application, and the last pushes to them. */
  async function around(applicationId: string, stages: readonly StageRow[]): Promise<Surroundings> {
    const ids = stages.flatMap(({ instance_id }) => instance_id ?? [])
    const found = (await instances.several(ids)).filter(({ application }) => application.id === applicationId)
    const pushes = await deployments.lastPushes(found.map(({ id }) => id))
    return { instances: new Map(found.map((one) => [one.id, one])), pushes }
  }

  async function view(row: PipelineRow): Promise<Pipeline> {
    const stages = await listStages(read, [row.id])
    return pipelineView(row, stages, await around(row.application_id, stages))
  }

  /** A stage of this pipeline, and the one behind it. @throws Failure not_found. */
  async function stageOf(pipelineId: string, id: string) {
    const stages = await listStages(read, [pipelineId])
    const at = stages.findIndex((stage) => stage.id === id)
    if (at === -1) throw fail('not_found')
    return { stage: stages[at]!, next: stages[at + 1] }
  }

  async function stage(pipeline: PipelineRow, id: string): Promise<Stage> {
    const found = await stageOf(pipeline.id, id)
    return stageView(found.stage, found.next, await around(pipeline.application_id, [found.stage]))
  }

  return {
    stage,
    ...createStages(also(deps, { stage })),

    async list(applicationId: string): Promise<Pipeline[]> {
      const rows = await listPipelines(read, applicationId)
      const stages = await listStages(
        read,
        rows.map(({ id }) => id),
      )
      const surroundings = await around(applicationId, stages)
      const grouped = Map.groupBy(stages, ({ pipeline_id }) => pipeline_id)
      return rows.map((row) => pipelineView(row, grouped.get(row.id) ?? [], surroundings))
    },

    /** @throws Failure invalid_name. */
    async create(actor: Actor, home: Home, name: string): Promise<Pipeline> {
      const now = clock.now()
      const row = {
        id: newId(),
        application_id: home.id,
        name: named(name, 'pipeline'),
        created_at: now,
        updated_at: now,
      }
      await database.transact(async (tx) => {
        await insertPipeline(tx, row)
        await audit.record(tx, actor, 'application.pipeline.created', auditScopeOf(home), bodyOf(home, row))
        await announce(tx, bus, home)
      })
      return pipelineView(row, [], { instances: new Map(), pushes: new Map() })
    },

    /** @throws Failure not_found, invalid_name. */
    async rename(actor: Actor, home: Home, id: string, name: string): Promise<Pipeline> {
      await database.transact(async (tx) => {
        const row = await lockedPipeline(tx, database, home, id)
        const updates = changes({ name: row.name }, { name: named(name, 'pipeline') })
        if (updates.length === 0) return
        await renamePipeline(tx, id, name, clock.now())
        const body = { ...bodyOf(home, { id, name }), updates }
        await audit.record(tx, actor, 'application.pipeline.updated', auditScopeOf(home), body)
        await announce(tx, bus, home)
      })
      const row = await findPipeline(read, home.id, id)
      if (!row) throw fail('not_found')
      return view(row)
    },

    /** @throws Failure not_found. */
    async delete(actor: Actor, home: Home, id: string): Promise<void> {
      await database.transact(async (tx) => {
        const row = await lockedPipeline(tx, database, home, id)
        await deletePipeline(tx, id)
        await audit.record(tx, actor, 'application.pipeline.deleted', auditScopeOf(home), bodyOf(home, row))
        await announce(tx, bus, home)
      })
    },

    /**
     * The changes that running a stage would make. @throws Failure not_found, invalid_input without a source or a
     * target.
     */
    async changes(pipeline: PipelineRow, stageId: string): Promise<StageChanges> {
      const { stage: from, next } = await stageOf(pipeline.id, stageId)
      const { instances: found } = await around(pipeline.application_id, next ? [from, next] : [from])
      const [source, target] = [found.get(from.instance_id ?? ''), found.get(next?.instance_id ?? '')]
      if (!source) throw fail('invalid_input', `The stage "${from.name}" has no instance any more.`)
      if (!target) throw fail('invalid_input', `Unable to find configured target for stage "${from.name}".`)
      return deployments.pushChanges(source.id, target.id)
    },
  }
}
