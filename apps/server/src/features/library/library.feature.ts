import { defineFeature } from '../../platform/features/feature.ts'
import { instanceLibraryHandlers, libraryHandlers } from './library.routes.ts'
import { createLibrary, type Library } from './library.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    library: Library
  }
}

export const libraryFeature = defineFeature({
  name: 'library',
  provides: { library: createLibrary },
  routes: ({ library }) => ({
    ...libraryHandlers(library),
    ...instanceLibraryHandlers(library),
  }),
})
