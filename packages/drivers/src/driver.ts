import type { DriverState, LogEntry, Versions } from '@app/contract/instance-link'

/** The software an instance runs on, as a stack describes it. */
export interface StackSpec {
  /** Exact Node-RED version, for example '5.0.7'. */
  nodered: string
  /** Memory an instance may use, in MiB. */
  memory: number
}

/** Everything a driver needs to create an instance. It is never stored by the caller in clear. */
export interface InstanceSpec {
  id: string
  name: string
  teamId: string
  stack: StackSpec
  /** Address of the platform as seen from the instance, without a trailing slash. */
  platformUrl: string
  /** Address of the instance as people see it. */
  instanceUrl: string
  /** Bearer token for the calls of the instance to the platform. */
  token: string
  /** OAuth client of the editor sign-in. */
  client: { id: string; secret: string }
  /** Key with which Node-RED encrypts flow credentials. */
  credentialSecret: string
  /** Starts Node-RED without running the flows; the state is then `safe` instead of `running`. */
  safe?: boolean
}

/** Where an instance answers HTTP and WebSocket. */
export type Endpoint = { socketPath: string } | { host: string; port: number }

export interface InstanceStatus {
  state: DriverState
  /** Milliseconds since the epoch; when the running Node-RED was started. */
  lastStartTime?: number
  versions?: Versions
  /** Why the state is `crashed` or `error`, in one sentence a person can read. */
  reason?: string
}

/** One line for the person who waits; `done` and `total` count the same unit, whatever it is. */
export interface Progress {
  text: string
  done?: number
  total?: number
}
export type Report = (progress: Progress) => void

export interface LogQuery {
  /** Only entries after this cursor (a `ts`); absent: the newest. A leading `-` asks for entries before it. */
  cursor?: string
  limit: number
}

/** Differences between drivers are asked for, never guessed from the name. */
export interface Capabilities {
  /** Instances go on while the platform is down, and are found again. */
  outlivesPlatform: boolean
  /** The stack's memory is a hard limit. */
  enforcesMemory: boolean
  /** Instances are kept apart by the operating system. */
  isolatesInstances: boolean
}

/**
 * Runs instances somewhere. The rest of the platform never knows which driver it talks to.
 * Every call is idempotent, since a job may be resumed after a kill at any point.
 */
export interface Driver {
  readonly name: string
  readonly capabilities: Capabilities
  /** Is this stack ready to start instances without fetching anything? */
  hasStack(stack: StackSpec): Promise<boolean>
  /** Fetches and checks a stack. @throws DriverError with a sentence for the person. */
  installStack(stack: StackSpec, report: Report): Promise<void>
  /**
   * Creates and starts an instance; resolves once its process exists and answers on its control channel.
   * What follows (loading, starting, running) arrives through `watch`. Already running: no effect.
   */
  start(spec: InstanceSpec): Promise<void>
  /** Ends the instance and waits until it is gone; its files stay. Unknown id: no effect. */
  stop(id: string): Promise<void>
  /** Ends the instance and removes everything it left. Unknown id: no effect. */
  remove(id: string): Promise<void>
  /** `stopped` for an instance that is not there. */
  status(id: string): Promise<InstanceStatus>
  /** The instances that exist here now; called once at start to find them again. */
  adopt(): Promise<string[]>
  endpoint(id: string): Endpoint | undefined
  /** Oldest first. Works for a stopped or crashed instance too. */
  logs(id: string, query: LogQuery): Promise<LogEntry[]>
  /** Tells of every new log line of one instance until the returned function is called. */
  followLogs(id: string, listener: (entry: LogEntry) => void): () => void
  /** Ends the editor sessions that hold this access token. */
  revokeUserToken(id: string, token: string): Promise<void>
  /** Tells of every change of status, at most 100 ms after it happened, until the returned function is called. */
  watch(listener: (id: string, status: InstanceStatus) => void): () => void
  /** Lets go of sockets and timers; the instances go on. */
  close(): Promise<void>
}

/** A failure whose message may be shown to a person. */
export class DriverError extends Error {
  readonly code: string
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DriverError'
    this.code = code
  }
}
