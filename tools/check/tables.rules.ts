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
const hiding = /^ {2}hides: \[([^\]]*)\]/m

const listedIn = (list: RegExp, text: string): string[] =>
  [...(list.exec(text)?.[1] ?? '').matchAll(/'([\w.]+)'/g)].map(([, name = '']) => name)

/**
 * Tables that others may read: those of the platform, and those that a feature shares, since asking it row by row would
 * be a query in a loop.
 */
function sharedIn(sources: readonly Source[], owners: ReadonlyMap<string, string>): Set<string> {
  const ofPlatform = [...owners].filter(([, owner]) => owner === 'platform').map(([table]) => table)
  const ofFeatures = sources
    .filter(({ path }) => path.endsWith('.feature.ts'))
    .flatMap(({ path, text }) => listedIn(sharing, text).filter((table) => owners.get(table) === roomOf(path)))
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

/** Where a query names a column of a table, or takes them all: positions in the text. */
function readsOf(table: string, column: string, text: string): number[] {
  const names = [table, ...[...text.matchAll(new RegExp(`'${table} as (\\w+)'`, 'g'))].map(([, alias]) => alias)].join(
    '|',
  )
  const direct = String.raw`selectFrom\('${table}'\)\s*\.selectAll\(\)`
  const calls = new RegExp(`${direct}|selectAll\\('(?:${names})'\\)|'(?:${names})\\.${column}'`, 'g')
  return [...text.matchAll(calls)].map(({ index }) => index)
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
  const hidden = sources.flatMap(({ path, text }) => listedIn(path.endsWith('.feature.ts') ? hiding : /$^/, text))
  return sources.flatMap(({ path, text }) => {
    const breach = (at: number, sentence: string): Breach => ({
      path,
      line: text.slice(0, at).split('\n').length,
      sentence,
    })
    return [
      ...usesIn(text).flatMap(({ table, writes, at }) => {
        const sentence = judge(roomOf(path), table, writes)
        return sentence === undefined ? [] : [breach(at, sentence)]
      }),
      ...hidden.flatMap((column) => {
        const [table = '', name = ''] = column.split('.')
        const owner = owners.get(table)
        if (owner === roomOf(path)) return []
        return readsOf(table, name, text).map((at) => breach(at, `${column} stays with ${owner}: name other columns`))
      }),
    ]
  })
}
