import { defineFeature } from '../../platform/features/feature.ts'
import { deletedHandlers } from './deleted.routes.ts'
import { createDeleted, type Deleted } from './deleted.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    deleted: Deleted
  }
}

export const deletedInstancesFeature = defineFeature({
  name: 'deleted-instances',
  provides: { deleted: createDeleted },
  routes: ({ deleted }) => deletedHandlers(deleted),
  runs: { deleted: ({ deleted }) => deleted },
})
