// Every instance loads these. They are apart from the schemas because zod would take 10 MB of memory in each.

/**
 * A log on disk is a folder of files with one JSON entry per line. Each file is named after the `ts` of its
 * first entry; they all have 17 digits until the year 5138, so names sort as times do.
 */
export const logFiles = {
  name: (ts: string) => `${ts}.ndjson`,
  pattern: /^(\d{17})\.ndjson$/,
}

/**
 * Cookies of the sign-in to the addresses of flows. Only the process that gave one out knows it, so each value begins
 * with the place of that process among those of the instance: `0.…` or `1.…`.
 */
export const flowCookies = { session: 'forge_http', state: 'forge_http_state' }

/** A process that is to load ahead gets, after its label, the path of this file in the folder of its stack. */
export const trainingFile = 'training.json'

/** Milliseconds from beat to beat of an instance's event loop. */
export const beatMs = 5_000

/** Characters in a key of the persistent context. */
export const contextKeyMax = 256
/** Maximum number of values of the persistent context that are listed, the largest first. */
export const contextListMax = 500

/** The persistent context in the user folder of an instance: a SQLite database, and copies of it for backups. */
export const contextFiles = {
  folder: 'context',
  name: 'persistent.db',
  copyName: (id: string) => `copy-${id}.db`,
  copyPattern: /^copy-[0-9a-f]{16}\.db$/,
}

/** At most so many different faults of flows are told; the latest stay. */
export const flowFaultsMax = 50
/** Characters of the message and of the stack of a fault. */
export const flowFaultText = { message: 1_000, stack: 4_000, name: 200 }
/** Subflows in subflows that a line of the log names. */
export const flowPathMax = 20

/** At most so many open resources of a kind are told. */
export const opensMax = 100
/** Characters of the longest topic of MQTT, whose length is a number of 16 bits. */
export const mqttTopicMax = 65_535

/** By this name an instance in a container reaches the platform on the same machine. */
export const containerHost = 'flowforge.internal'

/** The variable in which a process finds its own address, where nobody knows it before the process is placed. */
export const podAddressVariable = 'FLOWFORGE_POD_IP'

/** The identities by which TLS tells the two channels of an instance apart that answers on a port. */
export const linkChannels = ['http', 'control'] as const
export type LinkChannel = (typeof linkChannels)[number]

/**
 * TLS with a key that both sides have, and no certificates. No other suite is accepted, so whoever answers has the key
 * too: an address may have gone to a process of somebody else meanwhile. In TLS 1.3 a certificate could take the place of
 * the key.
 */
export const linkTls = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const
