import { type EditorPlace, isOfEditor } from '@app/contract/editor-paths'
import { unansweredRequests } from '@app/contract/flows-answers'
import { lostByIds } from '@app/contract/flows-doubles'
import { eachPlace, type Place } from '@app/contract/flows-places'
import { type Waiting, waitingOf } from '@app/contract/flows-waiting'
import { X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import type { createDeadNodes } from './flows.dead.ts'
import type { createFaults } from './flows.faults.ts'
import { createRoutes, type HttpIn } from './flows.routes.ts'
import type { NodeRed, NodeRedNode } from './stack.ts'

interface SilentOptions {
  all(): readonly NodeRedNode[]
  nodeRed(): NodeRed | undefined
  dead: ReturnType<typeof createDeadNodes>
  faults: Pick<ReturnType<typeof createFaults>, 'add'>
}

/** A node that runs, with the properties of its type. */
interface Running extends HttpIn {
  type: string
  name?: unknown
  /** A `tls-config` has it. */
  addTLSOptions?(options: object): SecureContextOptions
  [property: string]: unknown
}

/** Finds nodes that have just started, do nothing, and of which Node-RED says nothing. */
export function createSilent({ all, nodeRed, dead, faults }: SilentOptions) {
  const askedBefore = createRoutes(nodeRed)
  /** Nodes that others keep from doing something, and that are not started anew when these go. */
  const behind = new Set<string>()
  const runningAt = (id: string) => {
    const one = nodeRed()?.nodes.getNode(id)
    return one?.id === id ? (one as unknown as Running) : null
  }

  function findWaiting(places: readonly Place<NodeRedNode>[]): void {
    for (const { node, path, id: running } of places) {
      const { id } = node
      const within = path.join('/')
      const one = dead.has(within, id) ? null : runningAt(running)
      if (!one) continue
      const waiting = waitingOf(asDeployed(one, node))
      const bad = badTls(one)
      const message = bad === undefined ? sentenceOf(waiting) : `Its certificates or keys cannot be used: ${bad}`
      if (message !== undefined) faults.add({ kind: 'error', id, message })
      // It is not looked at again before it starts anew.
      if ((waiting && !waiting.acts) || bad !== undefined || lacksConnection(one)) dead.add(id, within)
    }
  }

  /** The place of the editor in this process. */
  function editor(): EditorPlace {
    // Node-RED keeps settings without types; these two are those that the runtime has set.
    const setting = (name: string) => nodeRed()?.settings.get(name) as never
    return { httpAdminRoot: setting('httpAdminRoot'), disableEditor: setting('disableEditor') }
  }

  /** Express gives a request to the first route that it matches; those of the editor come before all of flows. */
  function findUnasked(places: readonly Place<NodeRedNode>[]): void {
    const ins = places.filter(({ node }) => node.type === 'http in')
    const asked = new Map(ins.map((place) => [place, runningAt(place.id)]))
    const running = new Set([...asked.values()].filter((one) => one !== null))
    for (const [{ node, path }, one] of asked) {
      if (!one || dead.has(path.join('/'), node.id)) continue
      const isEditors = isOfEditor(String(one.method), String(one.url), editor())
      const first = isEditors ? undefined : askedBefore(one, running)
      if (!isEditors && !first) continue
      const where = first ? `the http in ${calls(first)}, which comes first` : 'the editor, which has the same path'
      faults.add({ kind: 'error', id: node.id, message: `Its requests go to ${where}` })
      dead.add(node.id, path.join('/'))
      behind.add(node.id)
    }
  }

  /** Finds each `http in` that gets requests and leads to no answer. */
  function findUnanswered(places: readonly Place<NodeRedNode>[]): void {
    const unanswered = new Set(unansweredRequests(all()))
    if (unanswered.size === 0) return
    for (const { node, path, id: running } of places) {
      const { id } = node
      if (!unanswered.has(node) || dead.has(path.join('/'), id) || !runningAt(running)) continue
      faults.add({ kind: 'answer', id, message: 'Its requests never get an answer: it leads to no http response node' })
      behind.add(id)
    }
  }

  return {
    /** Looks at the nodes that have just started. */
    find(): void {
      const places = [...eachPlace(all())]
      findWaiting(places)
      findUnasked(places)
      findUnanswered(places)
      for (const { id } of lostByIds(all())) {
        faults.add({ kind: 'error', id, message: 'Another node has the same ID, and only the last of them runs' })
        behind.add(id)
      }
    },
    /** Nodes that were found because of others. They are to be looked at again whenever flows start. */
    takeBehind(): string[] {
      const ids = [...behind]
      behind.clear()
      return ids
    },
  }
}

const calls = ({ name, url }: Running) =>
  `“${String(typeof name === 'string' && name !== '' ? name : url).slice(0, 60)}”`

/**
 * A running node with the properties that look like others while it runs. An inject whose interval is a variable with an
 * empty value looks like one that does not repeat; a tcp in without a port looks like one that listens on any.
 */
function asDeployed(one: Running, { repeat, port }: { type: string; repeat?: unknown; port?: unknown }): Running {
  if (one.type === 'inject' && one.repeat === '') return { ...one, repeat }
  const isAny = String(port).trim() === '0'
  return one.type === 'tcp in' && one.port === 0 && !isAny ? { ...one, port: '' } : one
}

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
