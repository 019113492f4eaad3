/** Limits and intervals that server and console share. Durations are milliseconds. */
export const limits = {
  passwordMin: 8,
  passwordMax: 1024,
  nameMax: 80,
  slugMax: 64,
  instanceNameMax: 48,
  flowsBytes: 32 * 1024 * 1024,
  auditPage: 200,
  recentAudit: 4,
  logPage: 30,
  pageMax: 1000,
} as const

export const intervals = {
  /** How long a deleted instance can be had back. */
  deletedKept: 7 * 24 * 60 * 60_000,
  requestTimeout: 30_000,
  logPoll: 5_000,
  listPoll: 10_000,
  instancePollFirst: 1_000,
  instancePollFactor: 1.15,
  slugCheckDebounce: 200,
  searchDebounce: 300,
} as const

export const toastDurations = {
  normal: 3_000,
  serverError: 7_500,
  createFailure: 7_500,
  logsUnavailable: 4_500,
  verificationFailure: 4_000,
  checkInbox: 7_000,
} as const

export const patterns = {
  username: /^[a-zA-Z0-9_-]+$/,
  // Nothing that a mail header could take for more than one address.
  email: /^[^@\s\p{C}<>()[\]\\,;:"]+@[^@\s\p{C}<>()[\]\\,;:"]+$/u,
  slug: /^[a-z0-9_-]+$/,
  instanceName: /^[a-zA-Z][a-zA-Z0-9-]*$/,
} as const

/** Names no instance may take (decisions: POST /projects). */
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
