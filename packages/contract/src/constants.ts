/** Number of processes of an instance with high availability (HA-06). */
export const haReplicas = 2

/** The parts that a run of a pipeline stage copies [PIPE-17]. */
export const pushOptions = {
  flows: true,
  credentials: true,
  nodes: true,
  template: false,
  settings: false,
  envVars: 'keys',
} as const

/**
 * Groups of points in the history of an instance: deploys of its editor, deployments of the platform, snapshots that
 * people took, and what went wrong.
 */
export const historyKinds = ['editor', 'deployments', 'snapshots', 'problems'] as const

/** Begins the host names of the editors of devices: no instance has a name that begins with a digit. */
export const deviceHostPrefix = '0-'

/** Limits and intervals that server and console share. Durations are milliseconds. */
export const limits = {
  passwordMin: 8,
  passwordMax: 1024,
  nameMax: 80,
  slugMax: 64,
  instanceNameMax: 48,
  flowsBytes: 32 * 1024 * 1024,
  /** Devices that one call may assign, tag, restart or delete. */
  bulkDevices: 200,
  /** Tags of one device, the length of one, and how many of a team are listed. */
  deviceTags: 10,
  tagMax: 32,
  listedTags: 200,
  /** People that one call may invite, and the length of their names and addresses together. */
  invitees: 5,
  inviteesText: 2000,
  /** Names of provisioning tokens [PROV-04]. */
  provisioningNameMax: 79,
  /** Rows a page of a list of the administration [CONST-10]. */
  adminPage: 30,
  auditPage: 200,
  recentAudit: 4,
  logPage: 30,
  pageMax: 1000,
} as const

export const intervals = {
  /** Time for which a deleted instance can be restored. */
  deletedKept: 7 * 24 * 60 * 60_000,
  /** So long before it expires a signing certificate of a provider is warned of. */
  certificateWarning: 30 * 24 * 60 * 60_000,
  requestTimeout: 30_000,
  logPoll: 5_000,
  listPoll: 10_000,
  /** While a stage of a pipeline deploys [PIPE-15]. */
  pipelinePoll: 5_000,
  /** While a deployment goes on and nothing is pushed. */
  deploymentPoll: 5_000,
  instancePollFirst: 1_000,
  instancePollFactor: 1.15,
  slugCheckDebounce: 200,
  searchDebounce: 300,
  /** Agents of devices call this often. */
  deviceReport: 60_000,
  /** A device that has not called for so long is offline. */
  deviceSilence: 90_000,
  /** So long is it said that two machines have the identity of one device. */
  deviceShared: 600_000,
  /** From here on a silence counts as a fault [DEV-42]. */
  deviceFault: 180_000,
  /** Between the word that a device was made and its credentials [DEV-50]. */
  credentialsDelay: 500,
} as const

/** The bars of the two charts of a list of devices, in their order [DEV-58]. `other`: any status that has no bar of its own. */
export const seenBars = ['running', 'safe', 'error', 'never'] as const
export const statusBars = ['running', 'safe', 'stopped', 'error', 'offline', 'never', 'other'] as const

/** The name a provisioning token has until its owner gives it another [PROV-06]. */
export const provisioningName = 'Auto Provisioning Token'

/** Why the platform ends the WebSocket of a log: the code of its close frame. */
export const logEnds = {
  /** The server stops, or the browser reads too slowly: open it again. */
  again: 1012,
  /** No agent of the device is connected to the broker. */
  unconnected: 4001,
  /** No server is connected to the broker. */
  unavailable: 4002,
  /** The session ended, or the device is not theirs to see any more. */
  refused: 4003,
} as const
export type LogEnd = keyof typeof logEnds

export const toastDurations = {
  normal: 3_000,
  serverError: 7_500,
  createFailure: 7_500,
  /** Notices about failed actions on a device [CONST-05]. */
  deviceFailure: 7_500,
  logsUnavailable: 4_500,
  termsRenewed: 5_000,
  verificationFailure: 4_000,
  checkInbox: 7_000,
  /** After the settings or variables of an instance were saved, or were not. */
  settings: 6_000,
  noInstance: 3_500,
  applicationKept: 10_000,
} as const

export const patterns = {
  username: /^[a-zA-Z0-9_-]+$/,
  // Nothing that a mail header could take for more than one address.
  email: /^[^@\s\p{C}<>()[\]\\,;:"]+@[^@\s\p{C}<>()[\]\\,;:"]+$/u,
  slug: /^[a-z0-9_-]+$/,
  provisioningName: /^[a-zA-Z0-9_ -]+$/,
  instanceName: /^[a-zA-Z][a-zA-Z0-9-]*$/,
} as const

/** Names no instance may take (POST /projects in docs/specification/calls.md). */
export const reservedInstanceNames: readonly string[] = [
  'www',
  'node-red',
  'nodered',
  'forge',
  'support',
  'help',
  'accounts',
  'account',
  'status',
  'billing',
  'mqtt',
  'broker',
]

export const reservedUsernames: readonly string[] = ['admin', 'root']
export const reservedSlugs: readonly string[] = ['create']

/** Severity of a line, by Node-RED's words for levels. */
const ranks: Record<string, number> = { trace: 0, debug: 1, metric: 1, audit: 1, info: 2, warn: 3, error: 4, fatal: 4 }

/** The levels a log can be filtered by. */
export const logLevels = ['info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

/** Is a line of this level as bad as the other level, or worse? A level nobody knows ('system') counts as info. */
export function isAtLeast(level: string, least: LogLevel): boolean {
  return (ranks[level] ?? 2) >= (ranks[least] as number)
}

/** Where a node is, behind the time of its line in a log: its message names the node itself. */
export const lineNodeText = ({ id, tab }: { id: string; tab?: { id: string; label: string } | undefined }): string =>
  tab ? `${id} on ${tab.label || tab.id}` : id

/** Range of charts, and distance between their points, in seconds. */
export const metricWindows = {
  '15m': { seconds: 900, step: 15 },
  '1h': { seconds: 3_600, step: 15 },
  '6h': { seconds: 6 * 3_600, step: 60 },
  '24h': { seconds: 24 * 3_600, step: 60 },
  '7d': { seconds: 7 * 24 * 3_600, step: 600 },
} as const
export type MetricWindow = keyof typeof metricWindows

/** The same for devices, whose agents report once a minute, a part more or less. */
export const deviceWindows = {
  '1h': { seconds: 3_600, step: 120 },
  '6h': { seconds: 6 * 3_600, step: 300 },
  '24h': { seconds: 24 * 3_600, step: 1_200 },
} as const
export type DeviceWindow = keyof typeof deviceWindows

/** The same for the small charts that stand side by side. */
export const sparkWindows = {
  '1h': { seconds: 3_600, step: 60 },
  '24h': { seconds: 24 * 3_600, step: 1_200 },
  '7d': { seconds: 7 * 24 * 3_600, step: 7_200 },
} as const
export type SparkWindow = keyof typeof sparkWindows
