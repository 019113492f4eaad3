import type { DriverName } from '@app/contract'
import type {
  Beat,
  ContextReport,
  ContextTarget,
  DriverState,
  FlowsOpens,
  FlowsReport,
  FlowsStopped,
  LogEntry,
  Released,
  Versions,
} from '@app/contract/instance-link'

export { keyOf, otherOf, partsOf, slots } from './slots.ts'

/** The software an instance runs on, as a stack describes it. */
export interface StackSpec {
  /** Exact Node-RED version, for example '5.0.7'. */
  nodered: string
  /** Memory an instance may use, in MiB. */
  memory: number
  /** Exact Node.js version, for example '24.21.0'; absent: the one of the platform. */
  nodejs?: string | undefined
}

/** Everything a driver needs to create an instance. It is never stored by the caller in clear. */
export type { DriverName }

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
  /** Modules that the platform lists for the instance, by name, each with a range of versions as npm has them. */
  modules?: Readonly<Record<string, string>>
  /** Lets modules run programs of their own when they are installed. */
  installScripts?: boolean
  /** Starts it with the modules that it has, whatever `modules` says: see `canKeepModules`. */
  keepModules?: boolean
  /** Starts Node-RED without running the flows; the state is then `safe` instead of `running`. */
  safe?: boolean
  /**
   * Folder in which flows find their files and their persistent context, for instances that share one; absent: a
   * folder of its own. The local driver alone knows it.
   */
  filesDir?: string
  /** The driver that starts it, one of `offers`; absent: the usual one. */
  driver?: DriverName
  /** The platform starts it after a crash, and no person does: crashes go on being counted. */
  again?: boolean
}

/** The inputs that decide which modules an instance has, together with those that people installed in its editor. */
export type ModulesSpec = Pick<InstanceSpec, 'id' | 'stack' | 'modules' | 'installScripts'>

/** The needs of a module in this version, as ranges of versions. */
export interface ModuleNeeds {
  version: string
  nodered?: string
  node?: string
}

/** Where an instance answers HTTP and WebSocket; with a `proof` over TLS with that key alone (`connectProven`). */
export type Endpoint = { socketPath: string } | { host: string; port: number; proof?: string }

/** Number of a process in its instance: the first of every instance, the second where there are two. */
export type Slot = 0 | 1

export interface InstanceStatus {
  state: DriverState
  /** Milliseconds since the epoch; when the running Node-RED was started. */
  lastStartTime?: number
  /** Its memory limit in MiB. The local driver says it of a process that runs. */
  memory?: number
  versions?: Versions
  /** Why the state is `crashed` or `error`, in one sentence a person can read. */
  reason?: string
  /** With `running`: Node-RED runs, and its flows do not. */
  flowsStopped?: FlowsStopped
  /** With `crashed`: when to start it again, and how. Absent when that is left to a person. */
  restart?: Restart
  /** Where two processes serve together: each of them. The state is then that of the one that does better. */
  members?: readonly Member[]
}

/** One process of an instance. */
export interface Member extends Omit<InstanceStatus, 'members'> {
  slot: Slot
  /** Label of its lines in the log. */
  src: string
}

/** Endpoint of a serving process. */
export interface ServingProcess {
  slot: Slot
  endpoint: Endpoint
}

/**
 * Start mode of a process whose flows are not to act yet. `inputs`: they run, but no connection, listener, timer or
 * message of theirs gets through, save for requests that are answered. `flows`: they are loaded, and not started.
 */
export type Hold = 'inputs' | 'flows'

/**
 * Two processes of one instance at once, on the same files and, where the platform gives them the same, with the same
 * token. `stop`, `remove`, `status`, `usage` and `logs` of the driver are of both together. Every call is idempotent.
 */
export interface Pair {
  /** Starts the process in this slot, to serve with the other or alone. Running already: no effect. */
  start(spec: InstanceSpec, slot: Slot, hold?: Hold): Promise<void>
  /** Ends the process in this slot; the other goes on. */
  stop(id: string, slot: Slot): Promise<void>
  /** The processes that are to serve, and what became of each; none for an instance that is stopped. */
  members(id: string): Promise<Member[]>
  /** Where those answer that run, in the order of their slots. Asked for every request, so it costs nothing. */
  serving(id: string): readonly ServingProcess[]
  /** Undefined for a process that does not run. */
  usage(id: string, slot: Slot): Promise<Usage | undefined>
  /** Why no process can be started beside those that serve, in a sentence; undefined where one can. */
  obstacle(spec: ModulesSpec & Pick<InstanceSpec, 'keepModules'>): Promise<string | undefined>
  /**
   * Starts a process on trial beside the one that serves, which notices nothing; what was on trial before is ended.
   * Nothing but `trial` tells of it until it takes over.
   * @throws DriverError `not_beside` with a sentence, before anything is touched, where that cannot be done here now.
   */
  startCandidate(spec: InstanceSpec, hold?: Hold): Promise<void>
  /** The status of the process on trial; `stopped` when there is none. */
  trial(id: string): Promise<InstanceStatus>
  /** Where the process on trial answers. */
  trialEndpoint(id: string): Endpoint | undefined
  /** The state of the flows of the process in this slot; undefined where it does not run or cannot tell. */
  flows(id: string, slot: Slot): Promise<FlowsReport | undefined>
  /** The same of the process on trial. */
  trialFlows(id: string): Promise<FlowsReport | undefined>
  /**
   * Lets the process on trial serve in the place of the other, from one request to the next. The other still runs, so
   * that it can end what it has in hand; its place is returned, for `stop`. After a kill in between, `adopt` ends it.
   * Without one on trial: undefined, no effect.
   */
  takeOver(id: string): Promise<Slot | undefined>
  /**
   * Stops the flows of the process in this slot, which goes on without them, when those of the other process are to act.
   * `keep`: the subscriptions that outlast it, where it is a process of another instance that is to act; absent: those
   * of the other process.
   * @returns since when they do not act, in milliseconds since the epoch. @throws DriverError when it does not answer.
   */
  pause(id: string, slot: Slot, keep?: readonly string[]): Promise<number>
  /**
   * Starts the flows that were only loaded, with their inputs closed: of the process on trial, or of that in `slot`. None
   * there: no effect. @throws DriverError when it does not answer.
   */
  startHeld(id: string, slot?: Slot): Promise<void>
  /**
   * Lets the flows of a process act that was started with a hold; `since` is the time from which the others did not. Asked
   * again, it answers the same; one that acts already counts nothing.
   * @throws DriverError when it does not answer.
   */
  release(id: string, slot: Slot, since: number): Promise<Released>
  /**
   * Ends the process on trial, or the one that has taken over and not been confirmed by the end of the other: that one
   * serves again, with its flows. None there: no effect.
   */
  giveBack(id: string): Promise<void>
  /** The open resources of the process in this slot; undefined when it does not answer. */
  opens(id: string, slot: Slot): Promise<FlowsOpens | undefined>
  /** Ends the process on trial. None there: no effect. */
  discard(id: string): Promise<void>
}

/** The platform's reaction to a crash. It is recorded, so the platform may end and find it again. */
export interface Restart {
  /** Crashes in a row, this one included. */
  crashes: number
  /** Milliseconds since the epoch. */
  at: number
  /** It crashed too often to run its flows once more. */
  safe: boolean
}

/** The resources a running instance uses; known even while its flows block the process. */
export interface Usage {
  /** CPU time since its start in milliseconds, of all its threads. */
  cpuMs: number
  /** Resident memory in MiB. */
  memoryMb: number
  /** The last sign of life of the loop in which its flows run. */
  eventLoop?: Beat
  /** Milliseconds since the epoch; since when there was none, after a flow has not yielded for too long. */
  hungSince?: number
}

/** One line for the person who waits; `done` and `total` count the same unit, whatever it is. */
export interface Progress {
  text: string
  done?: number
  total?: number
  /** Whether the downloaded files are being tried. */
  verifying?: true
}
export type Report = (progress: Progress) => void

export interface LogQuery {
  /** Only entries after this cursor (a `ts`); absent: the newest. A leading `-` asks for entries before it. */
  cursor?: string
  limit: number
}

/** One file of an instance; what it holds is read once, in the order in which the files come. */
export interface InstanceFile {
  /** Below the folder that belongs to the instance, with `/` between names. */
  path: string
  /** The lowest nine bits: who may read, write and run it. */
  mode: number
  content: AsyncIterable<Buffer>
}

/** A file as the driver finds it. Its content is no longer than `size`, and shorter when it shrinks while it is read. */
export interface StoredFile extends InstanceFile {
  size: number
}

/** Health of what the driver depends on. */
export interface DriverHealth {
  /** Can modules and stacks be fetched? Absent: this driver fetches nothing. */
  registry?: { reachable: boolean; reason?: string }
  /** Processes that wait for the next instances; absent: there are none by its settings. */
  warm?: { waiting: number; wanted: number }
  /** The engine in whose containers instances are started; absent: they are processes of a machine. */
  engine?: { reachable: boolean; reason?: string }
  /** Instances that run without the isolation that a new process gets: they were started before it was available. */
  unwalled?: number
}

/** Differences between drivers are asked for, never guessed from the name. */
export interface Capabilities {
  /** Instances go on while the platform is down, and are found again. */
  outlivesPlatform: boolean
  /** The stack's memory is a hard limit for everything that an instance and its programs use. */
  enforcesMemory: boolean
  /** An instance cannot start processes without end. */
  limitsProcesses: boolean
  /** Every program that a flow has started is gone with its instance, also what has left its group and session. */
  endsDescendants: boolean
  /** Instances can read neither each other's files, secrets and sockets nor the platform's. */
  isolatesInstances: boolean
  /**
   * Sentences for people: in what instances are less apart, or less limited, than they could be, and why. There is one
   * for every capability that is missing.
   */
  gaps: readonly string[]
}

/**
 * Runs instances somewhere. The rest of the platform never knows which driver it talks to.
 * Every call is idempotent, since a job may be resumed after a kill at any point.
 */
export interface Driver {
  readonly name: string
  /** The drivers by which it starts instances, the usual one first. One that runs moves with its next start. */
  readonly offers: readonly DriverName[]
  readonly capabilities: Capabilities
  /** Absent where an instance is one process only. */
  readonly pair?: Pair
  /** Is this stack ready to start instances without fetching anything? */
  hasStack(stack: StackSpec): Promise<boolean>
  /** Fetches a stack and starts it once on trial; only then does the driver have it. @throws DriverError with a sentence for the person. */
  installStack(stack: StackSpec, report: Report): Promise<void>
  /** Installs a stack that came with the platform, unless it is there; does nothing for others. Absent where none comes along. */
  prepare?(stack: StackSpec): Promise<void>
  /** Instances of this stack are likely to be started soon: what can be done ahead may be done, some time later. */
  expect(stack: StackSpec): void
  /**
   * Fetches the modules that the next start of an instance will need, beside those that it may be running with: a
   * failure, or a kill at any point, changes nothing. `start` puts them in.
   * @throws DriverError with a sentence for the person.
   */
  prepareModules(spec: ModulesSpec, report: Report): Promise<void>
  /** Could the instance be started with the modules that it has, though those of its list cannot be had? */
  canKeepModules(spec: ModulesSpec): Promise<boolean>
  /** Which of these modules lie in the folder of the instance, running or not, and in what version. */
  installedModules(id: string, names: readonly string[]): Promise<Record<string, string>>
  /** The needs of those of these modules that lie in the instance's folder. */
  moduleNeeds(id: string, names: readonly string[]): Promise<Record<string, ModuleNeeds>>
  /**
   * Creates and starts an instance; resolves once its process exists and answers on its control channel.
   * What follows (loading, starting, running) arrives through `watch`. Already running: no effect. With `hold` it does not
   * act until `release` of the pair; a driver without pairs has no holds.
   */
  start(spec: InstanceSpec, hold?: Hold): Promise<void>
  /** Ends the instance and waits until it is gone; its files stay. Unknown id: no effect. */
  stop(id: string): Promise<void>
  /** Ends the instance and removes everything it left. Unknown id: no effect. */
  remove(id: string): Promise<void>
  /** `stopped` for an instance that is not there. */
  status(id: string): Promise<InstanceStatus>
  /** Undefined for an instance that does not run. */
  usage(id: string): Promise<Usage | undefined>
  /**
   * The instances that exist here now; called once at start to find them again. Ends what was on trial, and what
   * something else has taken the place of.
   */
  adopt(): Promise<string[]>
  endpoint(id: string): Endpoint | undefined
  /** Oldest first. Works for a stopped or crashed instance too. */
  logs(id: string, query: LogQuery): Promise<LogEntry[]>
  /** Tells of every new log line of one instance until the returned function is called. */
  followLogs(id: string, listener: (entry: LogEntry) => void): () => void
  /**
   * The files that an instance made or was given, running or not, without what can be fetched again, and without
   * links and whatever else is no plain file.
   */
  files(id: string): AsyncIterable<StoredFile>
  /** Gives an instance that does not run these files, in the place of all it has. @throws DriverError for a path outside, and while it runs. */
  putFiles(id: string, files: AsyncIterable<InstanceFile>): Promise<void>
  /** The keys of the flows' persistent context, without values; undefined where the instance does not answer. */
  context(id: string): Promise<ContextReport | undefined>
  /**
   * The state of the flows of a running instance; with two processes that of the worse one, with the faults of both.
   * Undefined where it does not run or cannot tell.
   */
  flows(id: string): Promise<FlowsReport | undefined>
  /** Number of deleted values; undefined where the instance does not answer. */
  deleteContext(id: string, target: ContextTarget): Promise<number | undefined>
  /** Looks at what the driver depends on; takes seconds at most. */
  health(): Promise<DriverHealth>
  /** Processes of instances that run from another home on this machine, by pid; absent: the driver cannot tell. */
  livingIn?(home: string): number[]
  /** Ends the editor sessions that hold this access token. */
  revokeUserToken(id: string, token: string): Promise<void>
  /**
   * Makes the processes of a running instance read the protection of the addresses of its flows again. When it resolves
   * they enforce it, and what was let in before is cut off. @throws Error when one of them does not answer.
   */
  protect(id: string): Promise<void>
  /** Tells of every change of status, at most 100 ms after it happened, until the returned function is called. */
  watch(listener: (id: string, status: InstanceStatus) => void): () => void
  /**
   * Tells that the errors of an instance's running flows have changed, every two seconds at most for each of its
   * processes, until the returned function is called. Instances that an earlier version started do not tell.
   */
  watchFaults(listener: (id: string) => void): () => void
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
