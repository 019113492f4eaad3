import { defineFeature } from '../../platform/features/feature.ts'
import { pipelineHandlers } from './pipelines.routes.ts'
import { createPipelines, type Pipelines } from './pipelines.service.ts'
import { loadPipeline } from './pipelines.store.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    pipelines: Pipelines
  }
}

export const pipelinesFeature = defineFeature({
  name: 'pipelines',
  provides: { pipelines: createPipelines },
  routes: ({ pipelines }) => pipelineHandlers(pipelines),
  targets: ({ database }) => ({
    pipeline: {
      keys: ['pipelineId'],
      async load({ pipelineId }, userId) {
        const row = pipelineId === undefined ? undefined : await loadPipeline(database.read, pipelineId, userId)
        return row && { teamId: row.team_id, role: row.role, pipeline: row.pipeline }
      },
    },
  }),
})
