import * as z from 'zod/mini'
import { FlowsStopped, LogNode } from './flows-report.ts'
import { contextKeyMax, contextListMax, opensMax, mqttTopicMax } from './instance-link.constants.ts'

export * from './flows-report.ts'
export * from './instance-link.constants.ts'

/** States a driver can observe of an instance (layer 3 in docs/specification/states.md). */
export const driverStates = [
  'loading',
  'installing',
  'starting',
  'running',
  'safe',
  'stopping',
  'stopped',
  'crashed',
  'unknown',
  'error',
] as const
export const DriverState = z.enum(driverStates)
export type DriverState = z.infer<typeof DriverState>

const Version = z.string().check(z.maxLength(100))
export const Versions = z.object({ 'node-red': Version, launcher: Version, node: Version })
export type Versions = z.infer<typeof Versions>

/**
 * One line of an instance's log. `ts` is milliseconds since the epoch followed by a four-digit
 * sequence, as a string, and is the cursor (NRLOG-06). `level` is Node-RED's word.
 */
export const LogEntry = z.object({
  ts: z.string(),
  level: z.string(),
  msg: z.string(),
  src: z.optional(z.string()),
  /** Absent for a line of Node-RED itself, and for what flows print with `console`. */
  node: z.optional(LogNode),
})
export type LogEntry = z.infer<typeof LogEntry>

/**
 * The status the runtime reports of itself. `lastStartTime` is in milliseconds since the epoch, set once Node-RED was
 * started. The runtime does not report how it ended, because flows could speak in its place.
 */
export const RuntimeStatus = z.object({
  state: z.enum(['loading', 'installing', 'starting', 'running', 'safe', 'stopping']),
  lastStartTime: z.optional(z.int().check(z.minimum(0))),
  versions: z.optional(Versions),
  /** Present while Node-RED runs without running the flows that it has. */
  flowsStopped: z.optional(FlowsStopped),
})
export type RuntimeStatus = z.infer<typeof RuntimeStatus>

/**
 * Everything a starting instance process needs. It travels through a pipe, because arguments and the
 * environment of a process can be read by others and files outlive it.
 */
export const LaunchSpec = z.object({
  id: z.string(),
  name: z.string(),
  teamId: z.string(),
  /** The address of the platform as the instance reaches it, without a trailing slash. */
  platformUrl: z.url(),
  /** The IP address that the name in `platformUrl` stands for, where that is known to the instance alone. */
  platformAddress: z.optional(z.string()),
  instanceUrl: z.url(),
  /** For the calls to the platform. */
  token: z.string(),
  /** OAuth client of the editor sign-in. */
  client: z.object({ id: z.string(), secret: z.string() }),
  credentialSecret: z.string(),
  /** Folder whose node_modules/node-red is run. */
  nodeRedPath: z.string(),
  userDir: z.string(),
  /** Folder of the files and the persistent context of flows, where several instances share one; absent: `userDir`. */
  filesDir: z.optional(z.string()),
  logDir: z.string(),
  /** The folder that has these inside, where it was made before the instance had one. */
  madeIn: z.optional(z.string()),
  /**
   * Where it answers: on unix sockets, or on a TCP port to those alone who have the key of a channel. Keys are 32 bytes as
   * base64url; `linkTls` says how they are used. `host`: on this address alone; absent: on all that it has.
   */
  answersAt: z.union([
    z.object({ http: z.string(), control: z.string() }),
    z.object({
      port: z.int(),
      host: z.optional(z.string()),
      keys: z.object({ http: z.string(), control: z.string() }),
    }),
  ]),
  /** The caller's proof for calls of control. */
  controlToken: z.string(),
  /** Starts Node-RED without running the flows. */
  safe: z.optional(z.boolean()),
  /** It serves nobody until the process that it may replace has ended. */
  onTrial: z.optional(z.boolean()),
  /**
   * It does not act until it is released: `inputs`, its flows run, but no connection, listener, timer or message of
   * theirs gets through; `flows`, its flows are loaded and not started.
   */
  hold: z.optional(z.enum(['inputs', 'flows'])),
  /** Which of the processes of the instance this is; absent: the first. */
  slot: z.optional(z.literal(1)),
  /** Mark that tells its log entries from those of another process of the instance. */
  src: z.string().check(z.regex(/^[0-9a-f]{4}$/)),
  /** The user and group of the system as whom the instance runs; absent: those of the platform. */
  uid: z.optional(z.int().check(z.minimum(1))),
  gid: z.optional(z.int().check(z.minimum(1))),
})
export type LaunchSpec = z.infer<typeof LaunchSpec>

/**
 * The files that one real start of a stack loaded, so that a process can load them ahead of the next start: paths
 * below the stack's folder, in order. Those in `imports` can only be loaded by `import`. `names` maps, for each
 * folder, a name to the file it stood for there.
 */
export const Training = z.object({
  modules: z.array(z.string()),
  imports: z.array(z.string()),
  names: z.record(z.string(), z.record(z.string(), z.string())),
})
export type Training = z.infer<typeof Training>

/** The resources that an instance and its programs use: CPU time since the start in milliseconds, memory in MiB. */
export const RuntimeUsage = z.object({ cpuMs: z.int().check(z.minimum(0)), memoryMb: z.int().check(z.minimum(0)) })
export type RuntimeUsage = z.infer<typeof RuntimeUsage>

/** Answer of GET /flowforge/info. `usage` where nobody else can tell: it answers on a port. */
export const RuntimeInfo = z.extend(RuntimeStatus, {
  id: z.string(),
  pid: z.number(),
  usage: z.optional(RuntimeUsage),
})
export type RuntimeInfo = z.infer<typeof RuntimeInfo>

/** A value of the persistent context; without `key` all of a scope, without `scope` everything. */
export const ContextTarget = z.object({ scope: z.optional(z.string()), key: z.optional(z.string()) })
export type ContextTarget = z.infer<typeof ContextTarget>

const Bytes = z.int().check(z.minimum(0))

/**
 * Answer of GET /flowforge/context: the largest values, how many there are, and what they take of the limit. A scope is
 * `global`, the id of a flow, or the id of a node with a colon and that of its flow.
 */
export const ContextReport = z.object({
  entries: z
    .array(
      z.object({
        scope: z.string().check(z.maxLength(200)),
        key: z.string().check(z.maxLength(contextKeyMax)),
        size: Bytes,
        updated: z.number(),
      }),
    )
    .check(z.maxLength(contextListMax)),
  count: Bytes,
  bytes: Bytes,
  limit: Bytes,
})
export type ContextReport = z.infer<typeof ContextReport>

/** Answer to `pause`. */
export const Paused = z.object({ since: z.number() })

/**
 * Answer to `release`: since when it acts, timers whose message came late, messages that were dropped while no version
 * acted, and the listeners that could not bind, as in `FlowsOpens`.
 */
export const Released = z.object({
  at: z.number(),
  late: Bytes,
  dropped: Bytes,
  refused: z.array(z.string()),
})
export type Released = z.infer<typeof Released>

const open = (characters: number) => z.array(z.string().check(z.maxLength(characters))).check(z.maxLength(opensMax))

/**
 * Answer of GET /flowforge/opens: what the process really has open, beside what the platform needs. `kept` names the
 * subscriptions of sessions that a broker keeps while nobody is connected.
 */
export const FlowsOpens = z.object({
  /** As `tcp 1880` or `udp 5000`. */
  listens: open(100),
  /** As `127.0.0.1:1883`. */
  connects: open(100),
  /** Number of nodes that act by the clock, functions in which a timer runs among them. */
  timers: Bytes,
  /** Files of serial ports. */
  serial: open(4_096),
  /** Number of programs that run. */
  programs: Bytes,
  kept: open(mqttTopicMax),
})
export type FlowsOpens = z.infer<typeof FlowsOpens>

export const ContextDeleted = z.object({ deleted: Bytes })

/**
 * Body of POST /flowforge/command. `shutdown` ends the process once Node-RED has stopped; `logout` ends the
 * editor sessions that hold this access token; `alone` tells that the process it replaces has ended; `protect` makes it
 * read the protection of the addresses of its flows again and enforce it. `pause` stops its flows and answers since
 * when, `keep` names what the next version subscribes to; `resume` starts them again; `start-held` starts flows that were
 * only loaded, with their inputs closed; `release` lets one act that was held, after what served until `since`. `context-delete` answers with `{deleted}`;
 * `context-copy` writes a copy of the persistent context for a backup and answers with `{copied}`, and `context-drop`
 * removes it.
 */
export const RuntimeCommand = z.discriminatedUnion('cmd', [
  z.object({ cmd: z.literal('shutdown') }),
  z.object({ cmd: z.literal('logout'), token: z.string() }),
  z.object({ cmd: z.literal('alone') }),
  z.object({ cmd: z.literal('protect') }),
  z.object({ cmd: z.literal('pause'), keep: z.array(z.string()) }),
  z.object({ cmd: z.literal('resume') }),
  z.object({ cmd: z.literal('start-held') }),
  z.object({ cmd: z.literal('release'), since: z.number() }),
  z.extend(ContextTarget, { cmd: z.literal('context-delete') }),
  z.object({ cmd: z.literal('context-copy'), name: z.string() }),
  z.object({ cmd: z.literal('context-drop'), name: z.string() }),
])
export type RuntimeCommand = z.infer<typeof RuntimeCommand>

/**
 * A sign of life of the event loop that flows share: when none comes, they hold it up. `delayMs` is the longest that a
 * look at the clock, one each second, had to wait for its turn since the last beat; `busy` is the share of that time in
 * which the loop was at work.
 */
export const Beat = z.object({ delayMs: z.number(), busy: z.number() })
export type Beat = z.infer<typeof Beat>

/**
 * One line of the endless answer of GET /flowforge/watch: the status at first and after every change, a beat every
 * five seconds, with either its usage where nobody else can tell, a sign when the errors of the flows have changed, and with `?logs=<ts>` every entry after that one.
 */
export const WatchLine = z.union([
  z.object({ status: RuntimeStatus }),
  z.object({ beat: Beat }),
  z.object({ usage: RuntimeUsage }),
  z.object({ faults: z.literal('changed') }),
  z.object({ log: LogEntry }),
])
export type WatchLine = z.infer<typeof WatchLine>
