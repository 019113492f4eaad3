import { createRequire } from 'node:module'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { loadLazily } from './lazy.ts'
import { endSearchForTimes } from './endless.times.ts'

export type Middleware = (request: unknown, response: unknown, next: () => void) => void
/** Express tells it from other middleware by its four parameters. */
export type ErrorHandler = (error: unknown, request: unknown, response: unknown, next: (error: unknown) => void) => void

/** A message of Node-RED's log. `level` is one of its numbers. */
export interface NodeRedMessage {
  level: number
  msg?: unknown
  type?: string
  name?: string
  id?: string
  event?: string
  user?: unknown
  [key: string]: unknown
}

/** Functions of Node-RED that read and write paths such as `a.b[0]`. */
export interface NodeRedUtil {
  normalisePropertyExpression(path: string): (string | number)[]
  getObjectProperty(holder: object, path: string): unknown
  setObjectProperty(holder: object, path: string, value: unknown): unknown
}

/** A node of the flows that run. */
export interface RunningNode {
  id: string
  type: string
  /** For a node in an instance of a subflow: its id in the definition. */
  _alias?: string
  send(msg: object): void
  config: { id: string; type: string; [property: string]: unknown }
}

/** A message on its way, as hooks get it. */
export interface SendEvent {
  msg: object
  source: { id: string; node: RunningNode }
}

/** The part of Node-RED that is used here. */
export interface NodeRed {
  nodes: {
    /** The flows as Node-RED runs them. */
    getFlows(): { flows: NodeRedNode[] } | null
    getNode(id: string): RunningNode | null
    eachNode(each: (config: RunningNode['config']) => void): void
    startFlows(type: 'full'): Promise<void>
    stopFlows(): Promise<void>
  }
  /** A hook tells by the number of its parameters that it answers at once; `false` ends what it was asked about. */
  hooks: { add(name: string, callback: (payload: unknown) => false | undefined): void; remove(name: string): void }
  settings: { get(name: string): unknown }
  init(server: Server, settings: object): void
  start(): Promise<void>
  stop(): Promise<void>
  version(): string
  httpAdmin: Middleware & { get(path: string, ...handlers: Middleware[]): void }
  auth: { needsPermission(permission: string): Middleware }
  util: NodeRedUtil
  httpNode: Middleware
  runtime: {
    flows: {
      setFlows(options: {
        flows?: { flows?: (NodeRedNode & Record<string, unknown>)[] }
        user?: object | null
      }): Promise<unknown>
    }
    comms: Comms
    library: { saveEntry(call: EditorCall): Promise<unknown> }
    settings: { updateUserSettings(call: EditorCall): Promise<unknown> }
  }
  log: { _(key: string, values?: Record<string, string>): string }
  events: {
    on(name: string, listener: (event: NodeRedEvent) => void): void
    emit(name: string, event: NodeRedEvent): void
  }
}

/** A call of the editor. `user` makes it; its audit entry is about `req`. */
export interface EditorCall {
  user?: object | null
  path?: string
  req?: { user?: object | null | undefined; path?: string | undefined }
}

/** A node, a tab or a subflow, as flows have it. */
export interface NodeRedNode {
  id: string
  type: string
  z?: string
  name?: string
  label?: string
  /** Whether a node or a tab is disabled. */
  d?: boolean
  disabled?: boolean
  libs?: { module?: string }[]
  /** Absent for configuration. */
  wires?: unknown
}

/** The events of Node-RED; the fields present depend on the event. */
export interface NodeRedEvent {
  retain?: boolean
  id?: string
  payload?: {
    state?: string
    text?: string
    error?: string
    deploy?: boolean
    types?: string[]
    modules?: { module: string; error: unknown }[]
  }
  status?: { fill?: string; text?: unknown }
  type?: string
  diff?: Partial<Record<'added' | 'changed' | 'removed' | 'rewired' | 'linked' | 'flowChanged', string[]>>
}

/** The express that came with Node-RED: two versions of it in one process would only cost memory. */
export interface Express {
  (): ExpressApp
}
export interface ExpressApp {
  (request: unknown, response: unknown): void
  disable(name: string): void
  use(path: string, ...handlers: (Middleware | ErrorHandler)[]): void
}

/** Node-RED calls these with the connection of an editor page as it opens and closes. */
export interface Comms {
  addConnection(options: { client: EditorConnection }): Promise<void>
  removeConnection(options: { client: EditorConnection }): Promise<void>
}
export interface EditorConnection {
  user?: { userId?: string } | null
}

export interface EditorSession {
  user: string
  /** The permission with which it was opened, which Node-RED goes by. */
  scope: string
  accessToken: string
  expires: number
}

/** Node-RED's own table of editor sessions. */
export interface SessionTable {
  get(token: string): Promise<EditorSession | undefined>
}

/** A Node-RED installation, loaded by path. */
export interface Stack {
  nodeRed: NodeRed
  express: Express
  /** Only after `nodeRed.init`. */
  sessions(): SessionTable
  /** Does a password belong to a bcrypt hash? By what came with Node-RED, loaded when first needed. */
  comparePassword(password: string, hash: string): Promise<boolean>
}

/**
 * Loads Node-RED from `<path>/node_modules/node-red`.
 * @throws Error when it is not there or does not load.
 */
export function loadStack(path: string): Stack {
  loadLazily(path)
  endSearchForTimes(path)
  const fromStack = createRequire(join(path, 'node_modules', 'node-red', 'package.json'))
  const fromEditor = createRequire(fromStack.resolve('@node-red/editor-api/package.json'))
  return {
    nodeRed: fromStack('node-red') as NodeRed,
    express: fromStack('express') as Express,
    sessions: () => fromEditor('./lib/auth/tokens') as SessionTable,
    comparePassword: async (password, hash) =>
      (fromEditor('bcryptjs') as { compare: Stack['comparePassword'] }).compare(password, hash),
  }
}
