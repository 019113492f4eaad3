import { defineFeature } from '../../platform/features/feature.ts'
import { debugHandlers } from './debug.routes.ts'

export const debugFeature = defineFeature({
  name: 'debug',
  routes: ({ database }) => debugHandlers(database),
})
