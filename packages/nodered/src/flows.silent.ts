import { eachPlace } from '@app/contract/flows-places'
import { type Waiting, waitingOf } from '@app/contract/flows-waiting'
import { X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import type { createDeadNodes } from './flows.dead.ts'
import type { createFaults } from './flows.faults.ts'
import type { NodeRed, NodeRedNode } from './stack.ts'

interface SilentOptions {
  all(): readonly NodeRedNode[]
  getNode: NodeRed['nodes']['getNode']
  dead: ReturnType<typeof createDeadNodes>
  faults: Pick<ReturnType<typeof createFaults>, 'add'>
}

/** A node that runs, with the properties of its type. */
interface Running {
  type: string
  /** A `tls-config` has it. */
  addTLSOptions?(options: object): SecureContextOptions
  [property: string]: unknown
}

/** Returns what finds nodes that have just started, wait for ever, and of which Node-RED says nothing. */
export function createSilent({ all, getNode, dead, faults }: SilentOptions): () => void {
  return () => {
    for (const { node, path, id: running } of eachPlace(all())) {
      const { id } = node
      const within = path.join('/')
      const one = dead.has(within, id) ? null : (getNode(running) as Running | null)
      if (!one) continue
      const waiting = waitingOf(withVariable(one, node))
      const bad = badTls(one)
      const message = bad === undefined ? sentenceOf(waiting) : `Its certificates or keys cannot be used: ${bad}`
      if (message !== undefined) faults.add({ kind: 'error', id, message })
      // It is not looked at again before it starts anew.
      if ((waiting && !waiting.acts) || bad !== undefined || lacksConnection(one)) dead.add(id, within)
    }
  }
}

/** An inject whose interval is a variable with an empty value: as it runs, it looks like one that does not repeat. */
const withVariable = (one: Running, { repeat }: { type: string; repeat?: unknown }): Running =>
  one.type === 'inject' && one.repeat === '' ? { ...one, repeat } : one

function sentenceOf(waiting: Waiting | undefined): string | undefined {
  if (!waiting || waiting.isLogged) return undefined
  const { unset, has } = waiting
  return unset ? `Its ${unset.name} is the variable ${unset.variable}, which has no value` : `It ${has}`
}

/** Does it have no configuration that could bring or take its messages? Node-RED logs an error of what is missing. */
function lacksConnection({ type, brokerConn, serverConfig }: Running): boolean {
  if (type === 'mqtt in' || type === 'mqtt out') return !brokerConn
  if (type !== 'websocket in' && type !== 'websocket out') return false
  const config = serverConfig as Running | null | undefined
  // A second listener on a path gets no server.
  return !config || waitingOf(config) !== undefined || (config.isServer === true && !config.server)
}

/** Why the contents of a certificate, a key or an authority cannot be used. */
function badTls(node: Running): string | undefined {
  if (node.type !== 'tls-config') return undefined
  try {
    const options = node.addTLSOptions?.({})
    // With its own list the public authorities, which take long to parse, are left out.
    if (options) createSecureContext({ ...options, ca: options.ca ?? [] })
    // OpenSSL leaves out whatever is no certificate among authorities, and says nothing.
    for (const ca of [options?.ca ?? []].flat()) new X509Certificate(ca)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
