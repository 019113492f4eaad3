import { enabledParts, isNode } from './flows-enabled.ts'
import { eachPlace } from './flows-places.ts'

interface AnyNode {
  id: string
  type: string
  z?: unknown
  url?: unknown
  method?: unknown
}

/** Node-RED keeps one node of an id on each tab, the last; a copy that is the same in all is not missed. */
export function lostByIds<N extends AnyNode>(all: readonly N[]): N[] {
  const byId = Map.groupBy(enabledParts(all).filter(isNode), ({ id }) => id)
  const doubled = [...byId.values()].flatMap((same) => (same.length > 1 ? same : []))
  return [...Map.groupBy(doubled, ({ id, z }) => JSON.stringify([z, id])).values()].flatMap((same) => {
    const last = JSON.stringify(same.at(-1))
    return same.slice(0, -1).filter((node) => JSON.stringify(node) !== last)
  })
}

/** A path as Express compares it; one with a variable is known only while it runs. */
function pathOf({ type, url, method }: AnyNode): string | undefined {
  if (type !== 'http in' || typeof url !== 'string' || url === '' || url.includes('${')) return undefined
  const path = url.startsWith('/') ? url : `/${url}`
  return `${String(method)} ${path.replace(/(?<=.)\/$/, '').toLowerCase()}`
}

/** Each `http in` whose requests another one gets, which comes before it and has the same method and path. */
export function unaskedByPaths<N extends AnyNode>(all: readonly N[]): N[] {
  const seen = new Set<string>()
  const unasked = new Set<N>()
  for (const { node } of eachPlace(all)) {
    const path = pathOf(node)
    if (path === undefined) continue
    if (seen.has(path)) unasked.add(node)
    seen.add(path)
  }
  return [...unasked]
}
