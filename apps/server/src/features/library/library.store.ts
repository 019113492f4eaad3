import type { ExpressionBuilder } from 'kysely'
import type { Db, Tables, Tx } from '../../platform/db/tables.ts'

/** Where an entry stands: `folder` is a path without slashes around it, empty for the top. */
export interface EntryKey {
  owner: string
  folder: string
  name: string
}

export interface LibraryRow extends EntryKey {
  id: string
  team_id: string
  /** Absent: the entry is in the library of the team. */
  instance_id: string | null
  /** `flows`, or what the editor calls the rest: `functions`, and in the library of an instance `templates` too. */
  type: string
  /** JSON of what Node-RED keeps with the entry. */
  meta: string
  body: string
  updated_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    library_entries: LibraryRow
  }
}

export type ListedRow = Pick<LibraryRow, 'name' | 'type' | 'meta' | 'updated_at'>

export async function findEntry(db: Db, { owner, folder, name }: EntryKey, type?: string) {
  const rows = db
    .selectFrom('library_entries')
    .select(['type', 'body'])
    .where('owner', '=', owner)
    .where('folder', '=', folder)
    .where('name', '=', name)
  return (type === undefined ? rows : rows.where('type', '=', type)).orderBy('type').executeTakeFirst()
}

/** Entries below a folder that is not the top, but not in it. */
const isBelow = (folder: string) => (where: ExpressionBuilder<Tables, 'library_entries'>) =>
  // Databases count characters, where JavaScript counts halves of some.
  where(where.fn('substr', ['folder', where.val(1), where.val([...folder].length + 1)]), '=', `${folder}/`)

/** Entries in a folder that is not the top, or below it. */
const within = (folder: string) => (where: ExpressionBuilder<Tables, 'library_entries'>) =>
  where.or([where('folder', '=', folder), isBelow(folder)(where)])

/** The entries of a folder, in about the order in which they are shown, without the bodies. */
export async function listEntries(db: Db, owner: string, folder: string, type?: string): Promise<ListedRow[]> {
  const rows = db
    .selectFrom('library_entries')
    .select(['name', 'type', 'meta', 'updated_at'])
    .where('owner', '=', owner)
    .where('folder', '=', folder)
  // The order of the database is not that of people, but near enough to save most of the sorting after it.
  return (type === undefined ? rows : rows.where('type', '=', type)).orderBy('name').execute()
}

/** The paths of all folders below a folder that have entries in them, in no order. */
export async function listFolders(db: Db, owner: string, folder: string, type?: string): Promise<string[]> {
  let rows = db.selectFrom('library_entries').select('folder').distinct().where('owner', '=', owner)
  rows = folder === '' ? rows.where('folder', '<>', '') : rows.where(isBelow(folder))
  if (type !== undefined) rows = rows.where('type', '=', type)
  return (await rows.execute()).map((row) => row.folder)
}

/** Does anything stand in a folder that is not the top, or below it? */
export async function isFolder(db: Db, owner: string, folder: string): Promise<boolean> {
  const rows = db.selectFrom('library_entries').select('id').where('owner', '=', owner).where(within(folder))
  return (await rows.limit(1).executeTakeFirst()) !== undefined
}

/** Number of entries at these places. */
export async function countAt(db: Db, owner: string, places: { folder: string; name: string }[]): Promise<number> {
  if (places.length === 0) return 0
  const rows = await db
    .selectFrom('library_entries')
    .select('id')
    .where('owner', '=', owner)
    .where((where) => where.or(places.map((place) => where.and(place))))
    .execute()
  return rows.length
}

export async function putEntry(tx: Tx, row: LibraryRow): Promise<void> {
  const { meta, body, updated_at } = row
  await tx
    .insertInto('library_entries')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['owner', 'folder', 'name', 'type']).doUpdateSet({ meta, body, updated_at }),
    )
    .execute()
}

/** Removes an entry of one type, or of any. Returns how many. */
export async function deleteEntry(tx: Tx, { owner, folder, name }: EntryKey, type?: string): Promise<number> {
  const rows = tx
    .deleteFrom('library_entries')
    .where('owner', '=', owner)
    .where('folder', '=', folder)
    .where('name', '=', name)
  const result = await (type === undefined ? rows : rows.where('type', '=', type)).executeTakeFirst()
  return Number(result.numDeletedRows)
}

/** Removes everything at and below a folder. Returns how many entries. */
export async function deleteBelow(tx: Tx, owner: string, folder: string): Promise<number> {
  const result = await tx
    .deleteFrom('library_entries')
    .where('owner', '=', owner)
    .where(within(folder))
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
