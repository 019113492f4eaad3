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
const writes = /(?:insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\(\s*'(\w+)/g
const reads = /(?:selectFrom|innerJoin|leftJoin|rightJoin|fullJoin|\bfrom|\busing)\(\s*\[?\s*'(\w+)/g

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

/** Where a table is written by anybody but its owner, or read by others without being shared. */
export function breachesIn(sources: readonly Source[], owners: ReadonlyMap<string, string>): Breach[] {
  const shared = sharedIn(sources, owners)
  return sources.flatMap(({ path, text }) => {
    const room = roomOf(path)
    const find = (calls: RegExp, judge: (table: string, owner: string) => string | undefined): Breach[] =>
      [...text.matchAll(calls)].flatMap((call) => {
        const [, table = ''] = call
        const owner = owners.get(table)
        const sentence = owner === undefined || owner === room ? undefined : judge(table, owner)
        return sentence === undefined ? [] : [{ path, line: text.slice(0, call.index).split('\n').length, sentence }]
      })
    return [
      ...find(writes, (table, owner) => `${table} belongs to ${owner}: call its index.ts, or announce it with a hook`),
      ...find(reads, (table, owner) =>
        shared.has(table)
          ? undefined
          : `${table} belongs to ${owner}: ask it through its index.ts, or let it share the table`,
      ),
    ]
  })
}
