import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { listStagesOf } from '../pipelines/index.ts'
import { instanceCaller } from './runtime.callers.ts'
import { createEditors, type Editors } from './editors.service.ts'
import { runtimeHandlers } from './runtime.routes.ts'
import { createRuntime, type Runtime } from './runtime.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    editors: Editors
    runtime: Runtime
  }
}

export const runtimeFeature = defineFeature({
  name: 'runtime',
  provides: {
    editors: createEditors,
    runtime: (services) =>
      createRuntime(
        also(services, {
          editorOf: services.tokens.editorOf,
          editorAddress: services.tokens.editorAddress,
          membersOf: services.teams.membersAmong,
          stagesOf: async (instanceId: string) => listStagesOf(services.database.read, instanceId),
          features: services.config.features,
          contextMb: services.config.contextMb,
        }),
      ),
  },
  routes: ({ runtime }) => runtimeHandlers(runtime),
  callers: (services) => ({ instance: instanceCaller(services) }),
})
