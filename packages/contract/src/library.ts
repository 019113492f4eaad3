import * as z from 'zod/mini'
import { limits } from './constants.ts'
import { Id, Ok } from './primitives.ts'
import { may, route } from './route.ts'
import { behind } from './switches.ts'

/** The entries a team shares: flows as JSON, functions as text (LIB-05). */
export const LibraryType = z.enum(['flows', 'functions'])
export type LibraryType = z.infer<typeof LibraryType>

/** An entry of a folder (LIB-08); `path` leads to it from the top of the library. What Node-RED kept with a function, such as its number of outputs, comes with it. */
export const LibraryEntry = z.looseObject({
  fn: z.string(),
  type: LibraryType,
  updatedAt: z.iso.datetime(),
  path: z.string(),
})
export type LibraryEntry = z.infer<typeof LibraryEntry>

/** A folder: its entries, then the names of the folders in it. */
export const LibraryFolder = z.array(z.union([LibraryEntry, z.string()]))
export type LibraryFolder = z.infer<typeof LibraryFolder>

/** A folder, flows, or the text of anything else. */
export const LibraryAnswer = z.union([LibraryFolder, z.array(z.looseObject({})), z.string()])

/** The top of the library is the empty path. */
const PathParams = z.object({ teamId: Id, '*': z.prefault(z.string().check(z.maxLength(1024)), '') })
const TypeQuery = z.object({ type: z.optional(LibraryType) })

/** The library of a team. Its paths are part of what existing editors call. */
export const libraryRoutes = behind('shared-library', {
  'library.get': route({
    method: 'GET',
    path: '/storage/library/:teamId/*',
    summary: 'One library entry as it was saved, or the entries of a folder; [] if there is none',
    access: may('library:entry:list', 'team'),
    params: PathParams,
    query: TypeQuery,
    reply: LibraryAnswer,
    errors: [],
  }),
  'library.save': route({
    method: 'POST',
    path: '/storage/library/:teamId/*',
    summary: 'Save a library entry. Replaces one of the same name and type',
    access: may('library:entry:create', 'team'),
    params: PathParams,
    body: z.object({
      type: LibraryType,
      name: z.optional(z.string().check(z.maxLength(1024))),
      meta: z.optional(z.record(z.string(), z.unknown())),
      body: z.unknown(),
    }),
    errors: ['invalid_name', 'too_large'],
    bodyLimit: limits.flowsBytes,
  }),
  'library.delete': route({
    method: 'DELETE',
    path: '/storage/library/:teamId/*',
    summary: 'Delete the library entry of a type; without a type, whatever has this path, a folder with its contents',
    access: may('library:entry:delete', 'team'),
    params: PathParams,
    query: z.object({ type: z.optional(z.enum([...LibraryType.options, 'folder'])) }),
    reply: z.extend(Ok, { deleteCount: z.number() }),
    errors: [],
    audit: 'team.library.deleted',
  }),
})
