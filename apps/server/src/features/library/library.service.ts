import type { LibraryFolder } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { objectColumn } from '../../platform/db/json.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import type { Audit } from '../audit/index.ts'
import { checkPath, parentsOf, partsOf, splitPath } from './library.path.ts'
import {
  countAt,
  deleteBelow,
  deleteEntry,
  findEntry,
  isFolder,
  listEntries,
  type ListedRow,
  listFolders,
  putEntry,
} from './library.store.ts'

/** The owner of a library: a team, or an instance for itself. */
export interface Shelf {
  team: string
  instance?: string
}
export interface NewEntry {
  type: string
  meta?: object | undefined
  body: unknown
}
/** Flows are JSON text, anything else is plain text. */
export type Found = { kind: 'flows' | 'text'; body: string } | { kind: 'folder'; folder: LibraryFolder }

export type Library = ReturnType<typeof createLibrary>

/** Flows and functions that people put aside for others, in folders. */
export function createLibrary({ database, clock, audit }: { database: Database; clock: Clock; audit: Audit }) {
  const ownerOf = (shelf: Shelf) => shelf.instance ?? shelf.team

  return {
    /** An entry, or a folder; what is not there is an empty folder. */
    async get(shelf: Shelf, path: string, type?: string): Promise<Found> {
      const parts = partsOf(path)
      const owner = ownerOf(shelf)
      const entry = parts.length > 0 ? await findEntry(database.read, { owner, ...splitPath(parts) }, type) : undefined
      if (entry) return { kind: entry.type === 'flows' ? 'flows' : 'text', body: entry.body }
      const folder = parts.join('/')
      const entries = await listEntries(database.read, owner, folder, type)
      const below = await listFolders(database.read, owner, folder, type)
      return { kind: 'folder', folder: [...entriesView(entries, folder), ...foldersView(below, folder)] }
    },

    /**
     * Puts an entry at a path, in place of one of the same type.
     * @throws Failure invalid_name when the path is no path, is a folder, or leads through an entry; invalid_request
     * for flows that are no JSON.
     */
    async save(shelf: Shelf, path: string, { type, meta = {}, body }: NewEntry): Promise<void> {
      const parts = partsOf(path)
      checkPath(parts)
      const text = type === 'flows' ? flowsText(body) : asText(body)
      const owner = ownerOf(shelf)
      await database.transact(async (tx) => {
        if ((await countAt(tx, owner, parentsOf(parts))) > 0)
          throw fail('invalid_name', 'There is an entry where the path needs a folder')
        if (await isFolder(tx, owner, parts.join('/'))) throw fail('invalid_name', 'There is a folder of this name')
        await putEntry(tx, {
          id: newId(),
          owner,
          team_id: shelf.team,
          instance_id: shelf.instance ?? null,
          type,
          ...splitPath(parts),
          meta: JSON.stringify(meta),
          body: text,
          updated_at: clock.now(),
        })
      })
    },

    /**
     * Removes from the library of a team: the entry of a type, a folder with all below it, or whichever is there.
     * Returns how many entries went.
     * @throws Failure not_found when there is nothing.
     */
    async remove(actor: Actor, team: string, path: string, type?: string): Promise<number> {
      const parts = partsOf(path)
      if (parts.length === 0) throw fail('not_found')
      return database.transact(async (tx) => {
        const place = { owner: team, ...splitPath(parts) }
        const entries = type === 'folder' ? 0 : await deleteEntry(tx, place, type)
        const inFolder = type === undefined || type === 'folder' ? await deleteBelow(tx, team, parts.join('/')) : 0
        const count = entries + inFolder
        if (count === 0) throw fail('not_found')
        const info = { path: parts.join('/'), count }
        await audit.record(tx, actor, 'team.library.deleted', { type: 'team', id: team, team }, { info })
        return count
      })
    },
  }
}

/** Made once: a comparison of its own for each pair of 10,000 names takes several times as long. */
const order = new Intl.Collator('en').compare

const metaOf = objectColumn('library_entries.meta')

const entriesView = (rows: ListedRow[], folder: string) =>
  rows
    .map(({ name, type, meta, updated_at }) => ({
      ...(meta === '{}' ? undefined : metaOf(meta, name)),
      fn: name,
      type: type as 'flows',
      updatedAt: iso(updated_at),
      path: folder === '' ? name : `${folder}/${name}`,
    }))
    .sort((a, b) => order(a.fn, b.fn))

/** The names of the folders in a folder, of the paths of all below it. */
function foldersView(paths: string[], folder: string): string[] {
  const start = folder === '' ? 0 : folder.length + 1
  return [...new Set(paths.map((path) => path.slice(start).split('/')[0]!))].sort(order)
}

/** Editors send flows as text, other programs as JSON. */
function flowsText(body: unknown): string {
  if (typeof body !== 'string') return asText(body)
  try {
    JSON.parse(body)
    return body
  } catch {
    throw fail('invalid_request', 'The flows are not JSON', { field: 'body' })
  }
}

function asText(body: unknown): string {
  if (body === undefined) throw fail('invalid_request', 'Required', { field: 'body' })
  return typeof body === 'string' ? body : JSON.stringify(body)
}
