import { endlessOf } from '@app/contract/flows-places'
import type { FlowsReport, FlowsStopped, LogNode } from '@app/contract/instance-link'
import type { Takeover } from './takeover/takeover.ts'
import { textOf } from './error.text.ts'
import { createCounts } from './flows.counts.ts'
import { createDeadNodes } from './flows.dead.ts'
import { createFaults, type Seen } from './flows.faults.ts'
import { createFlowNodes } from './flows.nodes.ts'
import { createSetups } from './flows.setups.ts'
import { createSilent } from './flows.silent.ts'
import { createSubscriptions } from './flows.subscriptions.ts'
import { watchSetups } from './function.setup.ts'
import type { NodeRed, NodeRedEvent, NodeRedMessage, NodeRedNode } from './stack.ts'

/** Watches the flows of this process. */
export interface FlowsWatch {
  report(): FlowsReport
  /** Calls the listener when the faults have changed, twice a second at most, until the returned function is called. */
  follow(listener: () => void): () => void
  /** Listens to the events of a Node-RED that has been loaded and not started. */
  attach(nodeRed: NodeRed, takeover: Pick<Takeover, 'isHeld' | 'isStill'>): void
  /** Takes a message of Node-RED's log. */
  hear(message: NodeRedMessage): void
  /** The node that such a message is from. */
  from(message: NodeRedMessage): LogNode | undefined
}

const errorLevel = 20
/** Changes of faults that come within this time are told as one. */
const tellMs = 500
/** Flows have begun to act before all their nodes are looked at, which takes long where there are many. */
const lookMs = 100
/** With these a node is there, and does nothing. */
const deadly = new Set(['compile', 'module'])
const noNodes: NodeRedNode[] = []
/** The system's codes for an address that cannot be listened on; they are the same in every language. */
const taken = /\b(?:EADDRINUSE|EADDRNOTAVAIL)\b/
/** A text of a status may be a key of a catalogue, which the editor translates: those of nodes that wait for their other end. */
const catalogueKey = /^(?:[\w@/-]+:)?[\w-]+(?:\.[\w-]+)+$/
const notConnected = /\.(?:connecting|disconnected|not-connected)$/
/** Flows are started after this warning. */
const credentialsLost = 'credentials_load_failed'

/**
 * Tells what the flows of a process do, by what Node-RED itself says with its events and with the messages of its
 * nodes. `onStopped` is called when they turn out not to run, and with nothing when they do.
 */
export function watchFlows(onStopped: (stopped: FlowsStopped | undefined) => void): FlowsWatch {
  const nothing: FlowsStopped = { missingTypes: [], missingModules: [] }
  let nodeRed: NodeRed | undefined
  let hold: Pick<Takeover, 'isHeld' | 'isStill'> | undefined
  let state: FlowsReport['state'] = 'loading'
  let stopped = nothing
  let lostCredentials = false
  const closed = new Map<string, string>()
  const all = () => nodeRed?.nodes.getFlows()?.flows ?? noNodes
  const known = createFlowNodes(all)
  const { find } = known
  const dead = createDeadNodes(known)
  /** Functions by their ids as they run, from the failure of their setup code to the report of it. */
  const failedSetups = new Set<string>()
  // Node-RED looks into objects, which have `constructor` and others without a node of that ID.
  const isThere = ({ id }: Pick<NodeRedNode, 'id'>) => nodeRed?.nodes.getNode(id)?.id === id
  const { isOff, count } = createCounts({ all, find, isThere })
  const listeners = new Set<() => void>()
  let telling: NodeJS.Timeout | undefined
  let looking: NodeJS.Timeout | undefined
  const faults = createFaults(known, () => {
    if (listeners.size > 0) telling ??= setTimeout(tell, tellMs).unref()
  })
  const silent = createSilent({ all, nodeRed: () => nodeRed, dead, faults })
  const hearBrokers = createSubscriptions({ known, faults })
  const setups = createSetups({ known, faults, isHeld: () => hold?.isHeld() === true })

  function tell(): void {
    telling = undefined
    for (const listener of listeners) listener()
  }

  function become(next: FlowsReport['state'], why: FlowsStopped = nothing): void {
    state = next
    cancelLook()
    if (next === 'loading') return
    const told = JSON.stringify(stopped)
    stopped = why
    if (next === 'stopped' || JSON.stringify(why) !== told) onStopped(next === 'stopped' ? why : undefined)
  }

  /** Forgets the reports of nodes that start again. */
  function starting({ type, diff = {} }: NodeRedEvent): void {
    become('loading')
    const behind = silent.takeBehind()
    if (type !== 'nodes' && type !== 'flows') {
      closed.clear()
      dead.clear()
      setups.clear()
      failedSetups.clear()
      return faults.clear()
    }
    const { added = [], changed = [], removed = [], rewired = [], linked = [], flowChanged = [] } = diff
    // A tab counts as changed as soon as one of its nodes is; of a subflow all nodes begin anew then.
    const subflows = changed.filter((id) => find(id)?.type === 'subflow')
    const again = [...behind, ...added, ...changed, ...removed, ...(type === 'flows' ? [...rewired, ...linked] : [])]
    const restarted = { nodes: new Set(again), tabs: new Set([...flowChanged, ...subflows]) }
    faults.drop(restarted)
    dead.drop(restarted)
    setups.drop(restarted)
  }

  /** Nodes that should run and do not, without a word to them: Node-RED gives up a tab whose start fails. */
  function leftOut(): string[] {
    const told = faults.nodes()
    const isTold = ({ id, z = '' }: NodeRedNode) => told.has(id) || dead.has(z, id)
    return all().flatMap((node) => (isOff(node) || isTold(node) || isThere(node) ? [] : node.id))
  }

  function cancelLook(): void {
    clearTimeout(looking)
    looking = undefined
  }

  /** Looks at the nodes that have started, unless that is done. */
  function look(): void {
    if (looking === undefined) return
    cancelLook()
    silent.find()
    for (const id of leftOut()) faults.add({ kind: 'error', id, message: 'Node-RED did not start it' })
  }

  function started(): void {
    if (lostCredentials) faults.add({ kind: 'error', message: 'The credentials could not be decrypted' })
    lostCredentials = false
    become('started')
    looking = setTimeout(look, lookMs).unref()
  }

  function stop({ error, types: missing = [], modules = [] }: NonNullable<NodeRedEvent['payload']>): void {
    faults.clear()
    dead.clear()
    const missingModules = modules.map(({ module, error: why }) => ({
      module: module.slice(0, 300),
      error: short(why),
    }))
    for (const node of all()) {
      if (missing.includes(node.type))
        faults.add({ kind: 'type', id: node.id, message: `Node type ${node.type} is missing` })
      for (const lacks of missingModules.filter(({ module }) => uses(node, module)))
        faults.add({ kind: 'module', id: node.id, message: `Module ${lacks.module} is missing (${lacks.error})` })
    }
    const endless = endlessOf(all())
    if (endless?.part && error === endless.reason)
      faults.add({ kind: 'error', id: endless.part.id, message: endless.sentence })
    become('stopped', {
      missingTypes: missing.slice(0, 200).map((type) => type.slice(0, 200)),
      missingModules: missingModules.slice(0, 200),
      reason: short(error ?? 'stopped'),
    })
  }

  function changed({ id, payload }: NodeRedEvent): void {
    if (id !== 'runtime-state' || !payload) return
    if (payload.error === credentialsLost) lostCredentials = true
    else if (payload.error !== undefined) stop(payload)
    // A deploy stops the flows only to start others.
    else if (payload.state === 'stop' && payload.deploy) become('loading')
    else if (payload.state === 'stop' && hold?.isStill()) become('held')
    else if (payload.state === 'stop') stop(payload)
  }

  /** Nodes that were not connected while connections were kept from them, and still are not. */
  function addClosed(): void {
    if (hold?.isHeld()) return
    for (const [running, text] of closed) addStatus(running, text)
    closed.clear()
  }

  function addStatus(running: string, text: string): void {
    const id = known.idOf({ level: errorLevel, id: running }) ?? running
    faults.add({ kind: 'status', id, running, message: readable(text) })
  }

  /** A node is in error as long as it shows so. */
  function shown({ id, status }: NodeRedEvent): void {
    if (id === undefined) return
    const text = typeof status?.text === 'string' ? status.text : ''
    closed.delete(id)
    // Brokers are subscribed to right after this.
    if (text.endsWith('.connected')) hearBrokers(nodeRed!)
    // Its connections are closed while it is held. It may not report the failure again afterwards.
    if (hold?.isHeld() && notConnected.test(text)) return void closed.set(id, text)
    if (status?.fill === 'red' || notConnected.test(text)) addStatus(id, text)
    else faults.calm(id)
  }

  function pending(): NonNullable<FlowsReport['pending']> {
    const { nodes } = count((path, id) => dead.has(path, id) || setups.has(path, id))
    return { nodes, faults: setups.faults() }
  }

  const translated = (key: string, values?: Record<string, string>) =>
    nodeRed?.log._(key.includes(':') ? key : `node-red:${key}`, values) ?? key
  const readable = (text: string) => (text === '' ? 'In error' : catalogueKey.test(text) ? translated(text) : text)

  function kindOf({ type, msg }: NodeRedMessage): Seen['kind'] {
    const { name, code, stack = '', raisedAt } = (typeof msg === 'object' ? msg : {}) as Partial<ErrorLike>
    const isCode = raisedAt !== undefined || String(stack).includes('new Script (')
    // A function may also parse something else than itself.
    if (type === 'function' && name === 'SyntaxError' && isCode) return 'compile'
    if (taken.test(`${String(code)} ${textOf(msg)}`)) return 'listen'
    return type === 'function' && isOfModule(textOf(msg)) ? 'module' : 'error'
  }

  /** Does Node-RED say with this that a module of a function cannot be loaded? By its own catalogue, in its language. */
  function isOfModule(text: string): boolean {
    const [begins = ''] = translated('function.error.moduleLoadError', { module: '\0' }).split('\0')
    return begins !== '' && text.startsWith(begins)
  }

  /** It follows on what names the module. */
  const repeats = ({ type, msg }: NodeRedMessage) =>
    type === 'function' && textOf(msg).endsWith(translated('function.error.externalModuleLoadError'))

  return {
    attach(one, takeover) {
      nodeRed = one
      hold = takeover
      watchSetups({ begun: setups.begun, failed: (id) => failedSetups.add(id) })
      one.events.on('flows:starting', starting)
      one.events.on('flows:started', started)
      // From here on nodes are missing, or the flows are already those of the next deploy.
      one.events.on('flows:stopping', cancelLook)
      one.events.on('runtime-event', changed)
      one.events.on('node-status', shown)
    },
    hear(message) {
      const { level, id, type, msg } = message
      // Without a node, and before nodes are started, it is about why they are not, which events tell better.
      if (level > errorLevel || (id === undefined && state !== 'started') || repeats(message)) return
      const node = known.idOf(message)
      const { stack } = (msg ?? {}) as Partial<ErrorLike>
      const kind = id === undefined ? 'error' : kindOf(message)
      const isDead = id !== undefined && (failedSetups.delete(id) || deadly.has(kind))
      if (isDead && node !== undefined) dead.add(node, message.path)
      faults.add({
        kind,
        ...(node === undefined ? {} : { id: node }),
        ...(type === undefined ? {} : { type }),
        message: textOf(msg),
        ...(typeof stack === 'string' ? { stack } : {}),
      })
    },
    report() {
      look()
      addClosed()
      const told = { state, ...stopped, faults: faults.list(), faultCount: faults.count() }
      if (state === 'stopped') return { ...told, ...count('stopped') }
      return { ...told, ...count(dead.has), ...(setups.isEmpty() ? {} : { pending: pending() }) }
    },
    follow(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    from: known.from,
  }
}

interface ErrorLike {
  name: string
  code: unknown
  message: unknown
  stack: string
  /** The time of an error of the parser that looks for calls in a function's code. */
  raisedAt: number
}

const short = (value: unknown) => String(value).slice(0, 300)

/** Does a function use this module? In flows its name may carry a version, or a path in it. */
const uses = ({ libs }: NodeRedNode, module: string) =>
  Array.isArray(libs) &&
  libs.some((lib) => lib.module === module || lib.module?.match(/^(?:@[^/]+\/)?[^/@]+/)?.[0] === module)
