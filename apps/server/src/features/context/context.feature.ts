import { defineFeature } from '../../platform/features/feature.ts'
import { contextHandlers } from './context.routes.ts'
import { type Context, createContext } from './context.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    context: Context
  }
}

export const contextFeature = defineFeature({
  name: 'context',
  provides: { context: createContext },
  routes: ({ context }) => contextHandlers(context),
})
