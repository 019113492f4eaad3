import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Pipelines } from './pipelines.service.ts'

/** Pipelines, which are not there while the feature is off. */
export function pipelineHandlers(pipelines: Pipelines, isOn: boolean): Handlers<RouteIdOf<'pipeline'>> {
  const offered = () => {
    if (!isOn) throw fail('not_found', 'DevOps Pipelines are switched off on this platform')
  }
  return {
    async 'pipeline.list'({ application }) {
      offered()
      const list = await pipelines.list(application.id)
      return { meta: {}, count: list.length, pipelines: list }
    },
    async 'pipeline.create'({ actor, application }, { body }) {
      offered()
      return pipelines.create(actor, application, body.name)
    },
    async 'pipeline.update'({ actor, application }, { params, body }) {
      offered()
      const { name } = 'pipeline' in body ? body.pipeline : body
      return pipelines.rename(actor, application, params.pipelineId, name)
    },
    async 'pipeline.delete'({ actor, application }, { params }) {
      offered()
      await pipelines.delete(actor, application, params.pipelineId)
      return okay
    },
    async 'pipeline.addStage'({ actor, pipeline }, { body }) {
      offered()
      return pipelines.addStage(actor, pipeline, body)
    },
    async 'pipeline.getStage'({ pipeline }, { params }) {
      offered()
      return pipelines.stage(pipeline, params.stageId)
    },
    async 'pipeline.updateStage'({ actor, pipeline }, { params, body }) {
      offered()
      return pipelines.updateStage(actor, pipeline, params.stageId, body)
    },
    async 'pipeline.deleteStage'({ actor, pipeline }, { params }) {
      offered()
      await pipelines.deleteStage(actor, pipeline, params.stageId)
      return okay
    },
    async 'pipeline.changes'({ pipeline }, { params }) {
      offered()
      return pipelines.changes(pipeline, params.stageId)
    },
  }
}
