export { instanceLibraryHandlers, libraryHandlers } from './library.routes.ts'
export { createLibrary } from './library.service.ts'
