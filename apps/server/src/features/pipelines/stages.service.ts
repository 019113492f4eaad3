import type { OnErrors, Stage, StagePatch } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import { type ColumnMap, columnsOf } from '../../platform/db/columns.ts'
import { whenBroken } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { changes } from '../audit/index.ts'
import { findInstance, instanceRef, type InstanceRow } from '../instances/index.ts'
import {
  announce,
  auditScopeOf,
  bodyOf,
  type Home,
  type LoadedPipeline,
  lockedPipeline,
  named,
  type PipelinesDependencies,
} from './pipelines.home.ts'
import {
  deleteStage,
  insertStage,
  listStages,
  moveUp,
  type PipelineRow,
  type StageRow,
  updateStage,
} from './pipelines.store.ts'

const refusal = (sentence: string) => fail('invalid_instance', sentence, { field: 'instanceId' })

const editable: ColumnMap<StagePatch, StageRow> = {
  name: 'name',
  instanceId: 'instance_id',
  onErrors: 'on_errors',
  source: null,
}

/** Changes of the stages of a pipeline, one at a time, so that two at once cannot take the same place or instance. */
export function createStages(
  deps: PipelinesDependencies & { stage(pipeline: PipelineRow, id: string): Promise<Stage> },
) {
  const { database, bus, clock, audit } = deps

  /** @throws Failure invalid_instance for one that is not of the application, or in the pipeline already. */
  async function choose(tx: Tx, home: Home, stages: readonly StageRow[], id: string): Promise<InstanceRow> {
    const instance = await findInstance(tx, id)
    if (instance?.application_id !== home.id) throw refusal('This application has no such instance')
    const other = stages.find(({ instance_id }) => instance_id === id)
    if (other) throw refusal(`The stage "${other.name}" has this instance already`)
    return instance
  }

  /** Changes a stage under the lock of its pipeline, told with the stages as they are. */
  async function change(
    pipeline: LoadedPipeline,
    work: (tx: Tx, row: PipelineRow, stages: StageRow[]) => Promise<void>,
  ) {
    const done = database.transact(async (tx) => {
      const row = await lockedPipeline(tx, database, pipeline.application, pipeline.id)
      await work(tx, row, await listStages(tx, [row.id]))
      await announce(tx, bus, pipeline.application)
    })
    // The instance was removed for good between the look and the commit.
    await done.catch(whenBroken('reference', () => refusal('This application has no such instance')))
  }

  async function tellInstance(tx: Tx, actor: Actor, instance: InstanceRow, pipeline: PipelineRow, row: StageRow) {
    const body = {
      project: instanceRef(instance),
      pipeline: { id: pipeline.id, name: pipeline.name },
      pipelineStage: { id: row.id, name: row.name },
    }
    const at = { type: 'project' as const, id: instance.id, team: instance.team_id }
    await audit.record(tx, actor, 'project.assigned-to-pipeline-stage', at, body)
  }

  return {
    /** Adds a stage behind another, or at the end. @throws Failure invalid_name, invalid_instance, invalid_input. */
    async addStage(
      actor: Actor,
      pipeline: LoadedPipeline,
      input: { name: string; instanceId: string; source?: string | undefined; onErrors?: OnErrors | undefined },
    ): Promise<Stage> {
      const home = pipeline.application
      const id = newId()
      await change(pipeline, async (tx, row, stages) => {
        const instance = await choose(tx, home, stages, input.instanceId)
        const before = input.source === undefined ? stages.at(-1) : stages.find((stage) => stage.id === input.source)
        if (input.source !== undefined && !before)
          throw fail('invalid_input', 'This pipeline has no such stage', { field: 'source' })
        const position = before ? before.position + 1 : 0
        await moveUp(tx, row.id, position)
        const now = clock.now()
        const stage: StageRow = {
          id,
          pipeline_id: row.id,
          name: named(input.name, 'stage'),
          instance_id: instance.id,
          position,
          on_errors: input.onErrors ?? 'pass',
          created_at: now,
          updated_at: now,
        }
        await insertStage(tx, stage)
        const body = { ...bodyOf(home, row), pipelineStage: { id, name: stage.name } }
        await audit.record(tx, actor, 'application.pipeline.stage-added', auditScopeOf(home), body)
        await tellInstance(tx, actor, instance, row, stage)
      })
      return deps.stage(pipeline, id)
    },

    /** @throws Failure not_found, invalid_name, invalid_instance, invalid_input. */
    async updateStage(actor: Actor, pipeline: LoadedPipeline, id: string, input: StagePatch): Promise<Stage> {
      const home = pipeline.application
      await change(pipeline, async (tx, row, stages) => {
        const before = stages.find((stage) => stage.id === id)
        if (!before) throw fail('not_found')
        if (input.source !== undefined && stages[stages.indexOf(before) - 1]?.id !== input.source)
          throw fail('invalid_input', 'A stage keeps its position. Remove it and add it again after that stage', {
            field: 'source',
          })
        const others = stages.filter((stage) => stage !== before)
        const moves = input.instanceId !== undefined && input.instanceId !== before.instance_id
        const instance = moves ? await choose(tx, home, others, input.instanceId!) : undefined
        const columns = columnsOf(input, editable)
        if (columns.name !== undefined) named(columns.name, 'stage')
        const after = { ...before, ...columns }
        const updates = changes(
          { name: before.name, instance: before.instance_id, onErrors: before.on_errors },
          { name: after.name, instance: after.instance_id, onErrors: after.on_errors },
        )
        if (updates.length === 0) return
        await updateStage(tx, id, { ...columns, updated_at: clock.now() })
        const body = { ...bodyOf(home, row), pipelineStage: { id, name: after.name }, updates }
        await audit.record(tx, actor, 'application.pipeline.stage-updated', auditScopeOf(home), body)
        if (instance) await tellInstance(tx, actor, instance, row, after)
      })
      return deps.stage(pipeline, id)
    },

    /** The stage before it goes on to the one behind it. @throws Failure not_found. */
    async deleteStage(actor: Actor, pipeline: LoadedPipeline, id: string): Promise<void> {
      const home = pipeline.application
      await change(pipeline, async (tx, row, stages) => {
        const stage = stages.find((one) => one.id === id)
        if (!stage) throw fail('not_found')
        await deleteStage(tx, id)
        const body = { ...bodyOf(home, row), pipelineStage: { id, name: stage.name } }
        await audit.record(tx, actor, 'application.pipeline.stage-deleted', auditScopeOf(home), body)
      })
    },
  }
}
