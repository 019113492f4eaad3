import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Pipelines } from './pipelines.service.ts'

/** Pipelines, which are not there while the feature is off. */
export function pipelineHandlers(pipelines: Pipelines): Handlers<RouteIdOf<'pipeline'>> {
  return {
    async 'pipeline.list'({ application }) {
      const list = await pipelines.list(application.id)
      return { meta: {}, count: list.length, pipelines: list }
    },
    async 'pipeline.create'({ actor, application }, { body }) {
      return pipelines.create(actor, application, body.name)
    },
    async 'pipeline.update'({ actor, application }, { params, body }) {
      const { name } = 'pipeline' in body ? body.pipeline : body
      return pipelines.rename(actor, application, params.pipelineId, name)
    },
    async 'pipeline.delete'({ actor, application }, { params }) {
      await pipelines.delete(actor, application, params.pipelineId)
      return okay
    },
    async 'pipeline.addStage'({ actor, pipeline }, { body }) {
      return pipelines.addStage(actor, pipeline, body)
    },
    async 'pipeline.getStage'({ pipeline }, { params }) {
      return pipelines.stage(pipeline, params.stageId)
    },
    async 'pipeline.updateStage'({ actor, pipeline }, { params, body }) {
      return pipelines.updateStage(actor, pipeline, params.stageId, body)
    },
    async 'pipeline.deleteStage'({ actor, pipeline }, { params }) {
      await pipelines.deleteStage(actor, pipeline, params.stageId)
      return okay
    },
    async 'pipeline.changes'({ pipeline }, { params }) {
      return pipelines.changes(pipeline, params.stageId)
    },
  }
}
