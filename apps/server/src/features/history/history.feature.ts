import { defineFeature } from '../../platform/features/feature.ts'
import { historyHandlers } from './history.routes.ts'
import { createHistory, type History } from './history.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    history: History
  }
}

export const historyFeature = defineFeature({
  name: 'history',
  provides: { history: createHistory },
  routes: ({ history }) => historyHandlers(history),
})
