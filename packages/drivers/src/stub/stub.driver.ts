import type { ContextReport, FlowsOpens, FlowsReport, LogEntry } from '@app/contract/instance-link'
import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import {
  type Driver,
  DriverError,
  type Hold,
  type InstanceSpec,
  type InstanceStatus,
  type ModuleNeeds,
  type Report,
  type Restart,
  type Slot,
  type Usage,
} from '../driver.ts'
import { checkInside } from '../inside.ts'
import { addUsage, combine, worstFlows } from '../members.ts'
import { createSerial } from '../serial.ts'
import { keyOf, partsOf, slots } from '../slots.ts'
import { createStubFlows } from './stub.flows.ts'
import { createStubPair } from './stub.pair.ts'
import { queryLogs } from './stub.logs.ts'
import { closeStubHttp, openStubHttp, type StubHttp, type UpgradeListener } from './stub.http.ts'

export type Operation =
  | 'installStack'
  | 'prepareModules'
  | 'start'
  | 'stop'
  | 'remove'
  | 'logs'
  | 'revokeUserToken'
  | 'protect'
  | 'pause'
  | 'start-held'
  | 'resume'
  | 'release'

/**
 * Script of the stub's behaviour in a test. Nothing happens by itself and nothing depends on time. What is about the
 * process in the second place of an instance names it by `<id>~1`.
 */
export interface StubScript {
  /** Every call of an operation, in order. */
  readonly calls: { operation: Operation; id: string }[]
  /** Tokens given to `revokeUserToken`. */
  readonly revoked: { id: string; token: string }[]
  /** The specification the instance was last started with. */
  spec(id: string): InstanceSpec | undefined
  /** The next call of this operation throws; the ones after it do not. */
  failNext(operation: Operation, error?: Error): void
  /** The next `protect` waits until the returned function is called. */
  holdProtect(): () => void
  /** From now on instances stay `starting` until `release`. */
  holdStarts(): void
  /** Lets held instances run, and those started from now on. */
  release(): void
  /** From now on stacks other than these need an installation. */
  haveStacks(...versions: string[]): void
  /** From now on nothing can be started with the modules that it has. */
  keepNoModules(): void
  /**
   * Sets the modules that instances report as installed, by name with the version; by default any module that is
   * asked for.
   */
  haveModules(modules: Record<string, string>): void
  /** Sets the needs of modules, by name; by default none. */
  haveNeeds(needs: Record<string, ModuleNeeds>): void
  /** Sets the flows report of processes started from now on for this instance; by default all is well. */
  haveFlows(id: string, report: Partial<FlowsReport>): void
  /** From now on the running processes of this instance have these errors, and tell so. */
  changeFaults(id: string, faults: FlowsReport['faults']): void
  /** Sets what is observed of an instance. */
  setStatus(id: string, status: InstanceStatus): void
  /** With `restart` the driver asks for a start, as one that counts crashes does. */
  crash(id: string, reason?: string, restart?: Restart): void
  /** Sets what an instance uses, by default nothing. */
  setUsage(id: string, usage: Usage): void
  /** Sets what the processes of an instance have open, by default nothing. */
  setOpens(id: string, opens: FlowsOpens): void
  /** From now on these listeners of an instance cannot bind when they are released. */
  refuseListeners(id: string, names: string[]): void
  log(key: string, msg: string, level?: string, node?: LogEntry['node']): LogEntry
  /** A file that the instance has written itself. */
  writeFile(id: string, file: StubFile): void
  /** A value that flows have stored; only its size is told. */
  setContext(id: string, entry: ContextReport['entries'][number]): void
  /** Replaces what the instance answers; by default it echoes the request as JSON. */
  onRequest(id: string, listener: RequestListener): void
  onUpgrade(id: string, listener: UpgradeListener): void
}

export type StubDriver = Driver & { readonly script: StubScript }

export interface StubFile {
  path: string
  mode: number
  bytes: Buffer
}

/** A process. */
export interface StubInstance {
  part?: 'candidate' | 'replacing'
  hold?: Hold
  paused?: true
  spec: InstanceSpec
  status: InstanceStatus
  http: StubHttp
  usage?: Usage
}

/** A driver without processes, for tests of what is above a driver. Its instances are small HTTP servers. */
export function createStubDriver(): StubDriver {
  const instances = new Map<string, StubInstance>()
  const specs = new Map<string, InstanceSpec>()
  const logs = new Map<string, LogEntry[]>()
  const ended = new Map<string, InstanceStatus>()
  /** The last status of processes on trial that are gone. */
  const trials = new Map<string, InstanceStatus>()
  const opens = new Map<string, FlowsOpens>()
  const refused = new Map<string, string[]>()
  const failures = new Map<Operation, Error>()
  const watchers = new Set<(id: string, status: InstanceStatus) => void>()
  const faultWatchers = new Set<(id: string) => void>()
  const followers = new Set<{ id: string; listener: (entry: LogEntry) => void }>()
  const calls: StubScript['calls'] = []
  const revoked: StubScript['revoked'] = []
  const serial = createSerial()
  const flows = createStubFlows()
  const files = new Map<string, StubFile[]>()
  let stacks: Set<string> | undefined
  let keepsModules = true
  let protecting: Promise<void> | undefined
  let installed: Record<string, string> | undefined
  let needs: Record<string, ModuleNeeds> = {}
  const contexts = new Map<string, ContextReport['entries']>()
  let held = false
  let lastTs = 0n

  function begin(operation: Operation, id: string): void {
    calls.push({ operation, id })
    const failure = failures.get(operation)
    failures.delete(operation)
    if (failure) throw failure
  }

  function tell(key: string, status: InstanceStatus): void {
    const instance = instances.get(key)
    if (instance) instance.status = status
    if (instance?.part === 'candidate') return
    const { id } = partsOf(key)
    const members = pair.all(id)
    for (const watcher of watchers) watcher(id, members.length > 0 ? combine(members) : status)
  }

  function end(key: string, status: InstanceStatus): void {
    const instance = instances.get(key)
    if (instance) closeStubHttp(instance.http)
    instances.delete(key)
    if (instance?.part === 'candidate') return void trials.set(partsOf(key).id, status)
    ended.set(key, status)
    tell(key, status)
  }

  function run(key: string, { stack, safe }: InstanceSpec): void {
    const versions = { 'node-red': stack.nodered, launcher: '0.0.0', node: process.versions.node }
    const state = safe ? 'safe' : 'running'
    tell(key, { state, lastStartTime: Date.now(), versions, ...flows.stopped(key) })
  }

  async function start(spec: InstanceSpec, slot?: Slot, part?: 'candidate'): Promise<void> {
    const { id, stack } = spec
    const key = keyOf(id, slot ?? slots.find((one) => instances.has(keyOf(id, one))) ?? 0)
    begin('start', key)
    if (instances.has(key)) return
    if (stacks && !stacks.has(stack.nodered))
      throw new DriverError('stack_missing', `Node-RED ${stack.nodered} is not installed`)
    const http = await openStubHttp(key)
    ended.delete(key)
    specs.set(id, spec)
    flows.begin(key)
    instances.set(key, { spec, http, status: { state: 'loading' }, ...(part ? { part } : {}) })
    tell(key, { state: 'loading' })
    tell(key, { state: 'starting' })
    script.log(key, `Node-RED version: v${stack.nodered}`)
    if (!held) run(key, spec)
  }

  function stop(key: string): void {
    if (instances.has(key) || ended.has(key)) end(key, { state: 'stopped' })
    ended.delete(key)
  }
  const stopAll = (id: string) => slots.forEach((slot) => stop(keyOf(id, slot)))
  const pair = createStubPair({
    instances,
    ended,
    trials,
    start,
    stop,
    begin,
    flowsOf: flows.of,
    log: (key, msg) => void script.log(key, msg),
    serial,
    opens,
    refused,
  })

  const script: StubScript = {
    calls,
    revoked,
    spec: (id) => specs.get(id),
    failNext: (operation, error = new DriverError('scripted', 'It failed because the test said so')) =>
      failures.set(operation, error),
    holdProtect() {
      const { promise, resolve } = Promise.withResolvers<void>()
      protecting = promise
      return resolve
    },
    holdStarts: () => void (held = true),
    release() {
      held = false
      for (const [id, { spec, status }] of instances) if (status.state === 'starting') run(id, spec)
    },
    haveStacks: (...versions) => void (stacks = new Set(versions)),
    keepNoModules: () => void (keepsModules = false),
    haveModules: (modules) => void (installed = modules),
    haveNeeds: (given) => void (needs = given),
    haveFlows: flows.set,
    changeFaults(id, faults) {
      flows.change(id, faults)
      for (const watcher of faultWatchers) watcher(id)
    },
    setStatus: tell,
    crash: (id, reason = 'Node-RED ended unexpectedly', restart) =>
      end(id, { state: 'crashed', reason, ...(restart && { restart }) }),
    refuseListeners: (id, names) => void refused.set(id, names),
    setOpens: (id, given) => void opens.set(id, given),
    setUsage: (id, usage) => void (existing(id).usage = usage),
    log(key, msg, level = 'info', node) {
      const { id, slot } = partsOf(key)
      lastTs = lastTs < BigInt(Date.now()) * 10_000n ? BigInt(Date.now()) * 10_000n : lastTs + 1n
      const entry = { ts: String(lastTs), level, msg, src: slot === 0 ? '57ab' : '57ac', ...(node ? { node } : {}) }
      const entries = logs.get(id) ?? []
      logs.set(id, entries)
      entries.push(entry)
      for (const follower of followers) if (follower.id === id) follower.listener(entry)
      return entry
    },
    writeFile: (id, file) => void files.set(id, [...(files.get(id) ?? []), file]),
    setContext: (id, entry) => void contexts.set(id, [...(contexts.get(id) ?? []), entry]),
    onRequest: (id, listener) => void (existing(id).http.answer = listener),
    onUpgrade: (id, listener) => void (existing(id).http.upgrade = listener),
  }

  function existing(id: string): StubInstance {
    const instance = instances.get(id)
    if (!instance) throw new Error(`The stub runs no instance ${id}`)
    return instance
  }

  return {
    name: 'stub',
    offers: ['local'],
    capabilities: {
      outlivesPlatform: false,
      enforcesMemory: false,
      limitsProcesses: false,
      endsDescendants: false,
      isolatesInstances: false,
      gaps: ['This driver runs nothing: its instances are made up for tests.'],
    },
    script,
    hasStack: async ({ nodered }) => stacks === undefined || stacks.has(nodered),
    async installStack({ nodered }, report: Report) {
      begin('installStack', nodered)
      report({ text: `Installing Node-RED ${nodered}`, done: 1, total: 2 })
      report({ text: `Installing Node-RED ${nodered}`, done: 2, total: 2 })
      stacks?.add(nodered)
    },
    async prepareModules({ id, modules = {} }, report) {
      begin('prepareModules', id)
      const total = Object.keys(modules).length
      if (total > 0) report({ text: 'Installing the modules', done: total, total })
    },
    canKeepModules: async ({ id }) => keepsModules && specs.has(id),
    async installedModules(_id, names) {
      const versionOf = (name: string) => (installed ? installed[name] : '1.0.0')
      return Object.fromEntries(
        names.flatMap((name) => {
          const version = versionOf(name)
          return version === undefined ? [] : [[name, version]]
        }),
      )
    },
    moduleNeeds: async (_id, names) =>
      Object.fromEntries(names.flatMap((name) => (needs[name] ? [[name, needs[name]]] : []))),
    expect() {},
    start: (spec, hold) =>
      serial(spec.id, async () => {
        await start(spec)
        const [slot] = slots.filter((one) => instances.has(keyOf(spec.id, one)))
        if (hold && slot !== undefined) instances.get(keyOf(spec.id, slot))!.hold = hold
      }),
    stop: (id) =>
      serial(id, async () => {
        begin('stop', id)
        stopAll(id)
      }),
    remove: (id) =>
      serial(id, async () => {
        begin('remove', id)
        stopAll(id)
        logs.delete(id)
        specs.delete(id)
        files.delete(id)
      }),
    pair,
    status: async (id) => combine(pair.all(id)),
    async usage(id) {
      return addUsage(await Promise.all(slots.map((slot) => pair.usage(id, slot))))
    },
    adopt: async () => [...new Set([...instances.keys()].map((key) => partsOf(key).id))],
    endpoint(id) {
      const at = pair.serving(id)[0]?.endpoint
      const starting = instances.get(id)
      return at ?? (starting && !starting.paused ? { host: '127.0.0.1', port: starting.http.port } : undefined)
    },
    async logs(id, query) {
      begin('logs', id)
      return queryLogs(logs.get(id) ?? [], query)
    },
    followLogs(id, listener) {
      const follower = { id, listener }
      followers.add(follower)
      return () => followers.delete(follower)
    },
    async *files(id) {
      for (const { path, mode, bytes } of files.get(id) ?? [])
        yield { path, mode, size: bytes.length, content: Readable.from([bytes]) }
    },
    async putFiles(id, given) {
      if (pair.all(id).length > 0) throw new DriverError('running', 'The instance runs')
      const kept: StubFile[] = []
      for await (const { path, mode, content } of given) {
        checkInside(path)
        kept.push({ path, mode, bytes: Buffer.concat(await Array.fromAsync(content)) })
      }
      files.set(id, kept)
    },
    async context(id) {
      const entries = contexts.get(id) ?? []
      const bytes = entries.reduce((sum, { size }) => sum + size, 0)
      return pair.all(id).length > 0 ? { entries, count: entries.length, bytes, limit: 16_000_000 } : undefined
    },
    async flows(id) {
      return worstFlows(await Promise.all(pair.serving(id).map(({ slot }) => pair.flows(id, slot))))
    },
    async deleteContext(id, { scope, key }) {
      if (pair.all(id).length === 0) return undefined
      const all = contexts.get(id) ?? []
      const kept = all.filter((one) => (scope ?? one.scope) !== one.scope || (key ?? one.key) !== one.key)
      contexts.set(id, kept)
      return all.length - kept.length
    },
    health: async () => ({ registry: { reachable: true } }),
    async revokeUserToken(id, token) {
      begin('revokeUserToken', id)
      revoked.push({ id, token })
    },
    async protect(id) {
      begin('protect', id)
      await protecting
      protecting = undefined
    },
    watch(listener) {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
    watchFaults(listener) {
      faultWatchers.add(listener)
      return () => faultWatchers.delete(listener)
    },
    async close() {
      for (const { http } of instances.values()) closeStubHttp(http)
      watchers.clear()
      faultWatchers.clear()
      followers.clear()
    },
  }
}
