import { enabledParts } from '@app/contract/flows-enabled'

type Node = Record<string, unknown> & { id?: unknown; type?: unknown }

/** Nobody chooses among more. */
const most = 20

/**
 * The paths at which flows answer a GET, for a health check to ask: of `http in` nodes without parameters in the path,
 * and of dashboards. Nodes and tabs that are disabled are left out.
 */
export function addressesIn(flows: readonly Node[]): string[] {
  const found = enabledParts(flows).flatMap((node) => pathOf(node) ?? [])
  return [...new Set(found)].slice(0, most)
}

function pathOf({ type, method, url, path }: Node): string | undefined {
  if (type === 'http in' && method === 'get' && isPlain(url)) return rooted(url)
  if (type === 'ui-base' && isPlain(path)) return rooted(path)
  // The other dashboard has no node of its own for its address.
  return type === 'ui_tab' ? '/ui' : undefined
}

/** No parameters, patterns or variables. */
const isPlain = (path: unknown): path is string => typeof path === 'string' && /^[\w./~-]+$/.test(path)
const rooted = (path: string) => `/${path.replace(/^\/+/, '')}`
