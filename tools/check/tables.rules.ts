import { usesIn } from './tables.uses.ts'

/** A source of the server; the path is relative to its `src`. */
export interface Source {
  path: string
  text: string
}

export interface Breach {
  path: string
  line: number
  sentence: string
}

const declared = /declare module '[^']*db\/tables\.ts' \{\s*interface Tables \{(.*?)\n {2}\}/gs
/** The room of a file: its feature, or the part of the server it belongs to. */
const roomOf = (path: string): string => /^features\/([^/]+)\//.exec(path)?.[1] ?? path.split('/')[0]!

const sharing = /^ {2}shares: \[([^\]]*)\]/m

/**
 * Tables that others may read: those of the platform, and those that a feature shares, since asking it row by row would
 * be a query in a loop.
 */
function sharedIn(sources: readonly Source[], owners: ReadonlyMap<string, string>): Set<string> {
  const ofPlatform = [...owners].filter(([, owner]) => owner === 'platform').map(([table]) => table)
  const ofFeatures = sources
    .filter(({ path }) => path.endsWith('.feature.ts'))
    .flatMap(({ path, text }) => {
      const listed = [...(sharing.exec(text)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(([, table = '']) => table)
      return listed.filter((table) => owners.get(table) === roomOf(path))
    })
  return new Set([...ofPlatform, ...ofFeatures])
}

/** Which room declares which table. @throws Error when two do. */
export function ownersIn(sources: readonly Source[]): Map<string, string> {
  const owners = new Map<string, string>()
  for (const { path, text } of sources)
    for (const [, body = ''] of text.matchAll(declared))
      for (const [, table = ''] of body.matchAll(/^\s+(\w+):/gm)) {
        if (owners.has(table)) throw new Error(`${path} declares the table ${table} a second time`)
        owners.set(table, roomOf(path))
      }
  return owners
}

/**
 * Where a table is written by anybody but its owner, or read by others without being shared; and where a feature uses one
 * that it does not name.
 */
export function breachesIn(sources: readonly Source[], owners: ReadonlyMap<string, string>): Breach[] {
  const shared = sharedIn(sources, owners)
  function judge(room: string, table: string | undefined, writes: boolean): string | undefined {
    if (table === undefined)
      return room === 'platform' ? undefined : "name the tables in the type of the variable: 'breads' | 'ovens'"
    const owner = owners.get(table)
    if (owner === undefined || owner === room) return undefined
    if (writes) return `${table} belongs to ${owner}: call its index.ts, or announce it with a hook`
    return shared.has(table)
      ? undefined
      : `${table} belongs to ${owner}: ask it through its index.ts, or let it share the table`
  }
  return sources.flatMap(({ path, text }) =>
    usesIn(text).flatMap(({ table, writes, at }) => {
      const sentence = judge(roomOf(path), table, writes)
      return sentence === undefined ? [] : [{ path, line: text.slice(0, at).split('\n').length, sentence }]
    }),
  )
}
