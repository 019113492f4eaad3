import { X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import type { createDeadNodes } from './flows.dead.ts'
import type { createFaults } from './flows.faults.ts'
import type { NodeRed, NodeRedNode } from './stack.ts'

/** The property of a running node without which nothing reaches it, and its name in a sentence. */
const addresses: Record<string, readonly [property: string, name: string]> = {
  'http in': ['url', 'path'],
  'udp in': ['port', 'port'],
  'mqtt in': ['topic', 'topic'],
  'websocket-client': ['path', 'address'],
  'websocket-listener': ['path', 'path'],
}
/** Node-RED leaves the name of a variable without a value as it is; an `http in` puts a slash before it. */
const unset = /^\/?\$\{([^}\s]+)\}$/

interface SilentOptions {
  all(): readonly NodeRedNode[]
  getNode: NodeRed['nodes']['getNode']
  dead: ReturnType<typeof createDeadNodes>
  faults: Pick<ReturnType<typeof createFaults>, 'add'>
}

/** Returns what finds nodes that have just started, wait for ever, and of which Node-RED says nothing. */
export function createSilent({ all, getNode, dead, faults }: SilentOptions): () => void {
  const runningOf = (id: string) => getNode(id) as unknown as Record<string, unknown> | null

  /** The variable without a value that is the address of a node. */
  function unsetIn({ id, type }: Pick<NodeRedNode, 'id' | 'type'>): { name: string; variable: string } | undefined {
    const [property = '', name = ''] = addresses[type] ?? []
    const value = name === '' ? undefined : runningOf(id)?.[property]
    const [, variable] = typeof value === 'string' ? (unset.exec(value) ?? []) : []
    return variable === undefined ? undefined : { name, variable }
  }

  /** Why the contents of a certificate, a key or an authority cannot be used. */
  function badTls({ id, type }: NodeRedNode): string | undefined {
    if (type !== 'tls-config') return undefined
    const node = getNode(id) as { addTLSOptions?(options: object): SecureContextOptions } | null
    try {
      const options = node?.addTLSOptions?.({})
      // With its own list the public authorities, which take long to parse, are left out.
      if (options) createSecureContext({ ...options, ca: options.ca ?? [] })
      // OpenSSL leaves out whatever is no certificate among authorities, and says nothing.
      for (const ca of [options?.ca ?? []].flat()) new X509Certificate(ca)
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  return () => {
    const started = all().filter(({ id, z = '' }) => !dead.has(z, id))
    const lost = new Set<unknown>()
    for (const node of started) {
      const { id } = node
      const found = unsetIn(node)
      const bad = badTls(node)
      if (found) {
        lost.add(id)
        faults.add({
          kind: 'error',
          id,
          message: `Its ${found.name} is the variable ${found.variable}, which has no value`,
        })
      }
      if (bad !== undefined)
        faults.add({ kind: 'error', id, message: `Its certificates or keys cannot be used: ${bad}` })
      // It is not looked at again before it starts anew.
      if (found || bad !== undefined) dead.add(id, undefined)
    }
    for (const { id, type, client, server } of started as (NodeRedNode & Record<'client' | 'server', unknown>)[])
      if (type.startsWith('websocket ') && (lost.has(client) || lost.has(server))) dead.add(id, undefined)
  }
}
