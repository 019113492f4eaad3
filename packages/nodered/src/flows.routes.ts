import type { NodeRed } from './stack.ts'

/** An entry in the router of Express. */
interface Layer {
  match(path: string): boolean
  route?: { methods: Record<string, boolean>; stack: { handle: unknown }[] }
}
/** An `http in` while it runs. */
export interface HttpIn {
  url?: unknown
  method?: unknown
  /** Answers its requests, and passes none on. */
  callback?: unknown
}

/** Returns what finds the `http in` that gets the requests of another one, because it comes first. */
export function createRoutes(nodeRed: () => NodeRed | undefined) {
  return <N extends HttpIn>(node: N, all: ReadonlySet<N>): N | undefined => {
    const { url, method } = node
    if (typeof url !== 'string' || typeof method !== 'string') return undefined
    const layers = (nodeRed()?.httpNode as { _router?: { stack: Layer[] } } | undefined)?._router?.stack ?? []
    for (const layer of layers) {
      const { route } = layer
      if (!route?.methods[method] || !matches(layer, url)) continue
      const handles = new Set(route.stack.map(({ handle }) => handle))
      const first = [...all].find(({ callback }) => callback !== undefined && handles.has(callback))
      // Any other node with a route there may pass its requests on.
      if (first) return first === node ? undefined : first
    }
    return undefined
  }
}

/** A path with a parameter is compared as it stands, so that of another name matches it. */
function matches(layer: Layer, url: string): boolean {
  try {
    return layer.match(url)
  } catch {
    // It is no path that can be decoded.
    return false
  }
}
