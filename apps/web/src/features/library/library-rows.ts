import type { LibraryFolder } from '@app/contract'

export type LibraryRow = {
  /** From the top of the library, without slashes around it. */
  path: string
  name: string
  type: 'folder' | 'flows' | 'functions'
  /** Absent for folders. */
  updatedAt?: string
}

const order = ['folder', 'flows', 'functions'] as const

/** The rows of a folder: folders first, then flows, then functions, each by name [LIB-06]. */
export function rowsOf(folder: LibraryFolder, path: string): LibraryRow[] {
  const within = (name: string) => (path === '' ? name : `${path}/${name}`)
  const rows = folder.map(
    (one): LibraryRow =>
      typeof one === 'string'
        ? { path: within(one), name: one, type: 'folder' }
        : { path: within(one.fn), name: one.fn, type: one.type, updatedAt: one.updatedAt },
  )
  return rows.sort((a, b) => order.indexOf(a.type) - order.indexOf(b.type) || a.name.localeCompare(b.name))
}

/** The page of a folder or an entry. */
export function libraryAddress(slug: string, { path, type }: Pick<LibraryRow, 'path' | 'type'>): string {
  const tail = path.split('/').map(encodeURIComponent).join('/')
  return `/team/${slug}/library/${tail}${type === 'folder' ? '' : `?type=${type}`}`
}
