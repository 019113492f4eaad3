import type { FlowsOpens, LaunchSpec, Released } from '@app/contract/instance-link'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Listening } from '../listening.ts'
import type { NodeRed } from '../stack.ts'
import { holdMessages } from './hold.messages.ts'
import { holdSockets, type Target } from './hold.sockets.ts'
import { brokersOf, connectAgain } from './mqtt.ts'
import { readOpens } from './opens.ts'
import { pauseFlows } from './pause.ts'
import { platformAddress } from './platform.address.ts'

export interface Takeover {
  /** Is it kept from acting? */
  isHeld(): boolean
  /** Do they stand still, so that nothing answers their addresses? */
  isStill(): boolean
  /** Before Node-RED is started. */
  begin(): void
  pause(keep: readonly string[]): Promise<number>
  resume(): Promise<void>
  /** Starts flows that were only loaded, with their inputs closed. */
  startHeld(): Promise<void>
  /** Asked again, it answers what it did the first time. */
  release(since: number): Promise<Released>
  opens(): FlowsOpens
}

/** Messages sent at the start wait for their connections, at most this long. */
const connectMs = 1_000
const lookMs = 10

/**
 * Lets one version of flows take over from another so that one of them acts at a time. A process is started with its
 * inputs closed, or without starting its flows; the one that serves is paused; the new one is released.
 */
export function createTakeover(
  nodeRed: NodeRed,
  server: Server,
  { launch, listening }: { launch: LaunchSpec; listening: Listening },
): Takeover {
  const { hold } = launch
  let held = hold
  let paused: Promise<number> | undefined
  let opened: Promise<void> | undefined
  let released: Promise<Released> | undefined
  const answering = new AsyncLocalStorage<true>()
  const platform = platformAddress(launch)
  const isPlatform = ({ path, host = 'localhost', port }: Target) =>
    path === undefined && host === platform.host && port === platform.port
  const isOwn = (target: Target) => isPlatform(target) || listening.isOwn(target)
  let sockets: ReturnType<typeof holdSockets> | undefined
  let messages: ReturnType<typeof holdMessages> | undefined
  const undo: (() => void)[] = []

  function holdInputs(): void {
    sockets = holdSockets({ answering, isOwn })
    messages = holdMessages(nodeRed, () => answering.getStore() === true)
    const emit = server.emit.bind(server) as (name: string, ...rest: unknown[]) => boolean
    server.emit = (name: string, ...rest: unknown[]) =>
      name === 'request' ? answering.run(true, () => emit(name, ...rest)) : emit(name, ...rest)
    undo.push(() => Reflect.deleteProperty(server, 'emit'))
  }

  /** Node-RED loads everything, looks for missing types and modules, and starts nothing. Nothing of that is stored. */
  function holdFlows(): void {
    const { settings } = nodeRed
    const usual = settings.get
    settings.get = (name) => (name === 'runtimeFlowState' ? 'stop' : usual.call(settings, name))
    undo.push(() => void (settings.get = usual))
  }

  const undone = () => {
    for (const back of undo.splice(0)) back()
  }

  async function startHeld(): Promise<void> {
    if (held !== 'flows') return opened
    held = 'inputs'
    undone()
    holdInputs()
    opened = nodeRed.nodes.startFlows('full')
    return opened
  }

  /** Waits for the brokers, but not for long. Returns since when those that answer are connected. */
  async function connected(): Promise<number> {
    let [since, count] = [Date.now(), 0]
    for (const until = since + connectMs; Date.now() < until; await delay(lookMs)) {
      const brokers = brokersOf(nodeRed)
      const now = brokers.filter(({ client }) => client.connected).length
      if (now > count) [since, count] = [Date.now(), now]
      if (now === brokers.length) break
    }
    return since
  }

  async function release(since: number): Promise<Released> {
    await startHeld()
    held = undefined
    undone()
    const kept = messages?.release(since)
    const refused = (await sockets?.release()) ?? []
    for (const broker of brokersOf(nodeRed)) connectAgain(broker)
    // Messages sent once at the start are out before this is answered, so that the judging sees their errors.
    const at = await connected()
    kept?.deliver()
    return { at, late: kept?.late ?? 0, dropped: kept?.dropped ?? 0, refused }
  }

  return {
    opens: () => readOpens(nodeRed, launch, listening.port),
    isHeld: () => held !== undefined,
    isStill: () => held === 'flows' || paused !== undefined,
    begin() {
      if (held === 'inputs') holdInputs()
      if (held === 'flows') holdFlows()
    },

    async pause(keep) {
      paused ??= pauseFlows(nodeRed, keep)
      return paused
    },

    async resume() {
      if (paused === undefined) return
      await nodeRed.nodes.startFlows('full')
      paused = undefined
    },

    startHeld,

    async release(since) {
      released ??= release(since)
      return released
    },
  }
}
