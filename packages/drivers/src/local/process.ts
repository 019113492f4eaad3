import type { LaunchSpec } from '@app/contract/instance-link'
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Writable } from 'node:stream'
import type { Config } from './config.ts'
import { readInfo } from './control.client.ts'
import { argumentsOf, identityOf } from './identity.ts'
import type { Places } from './places.ts'
import type { InstanceRecord } from './record.store.ts'

/** Of our own environment, what programs need to find each other and the network. Nothing of the platform is among it. */
const inherited = [
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]

export interface Spawned {
  pid: number
  identity: string
  /** Hands over the specification; until then the process waits, and ends with this one. */
  send(spec: LaunchSpec): void
}

/**
 * Starts the process of an instance in a session of its own, so that nothing that happens to this process or its
 * terminal reaches it. `memory` in MiB.
 * @throws Error when it cannot be started.
 */
export async function spawnRuntime(config: Config, places: Places, id: string, memory: number): Promise<Spawned> {
  const output = openSync(places.output, 'w', 0o600)
  try {
    const child = spawn(
      process.execPath,
      [`--max-old-space-size=${Math.floor(memory * 0.75)}`, config.runtimeEntry, id],
      {
        cwd: places.userDir,
        detached: true,
        env: environment(config, places),
        stdio: ['ignore', output, output, 'pipe'],
      },
    )
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    return describe(child)
  } finally {
    closeSync(output)
  }
}

function describe(child: ChildProcess): Spawned {
  const pid = child.pid!
  const identity = identityOf(pid)
  if (!identity) throw new Error('it ended at once')
  const pipe = child.stdio[3] as Writable
  // The process may end while it is written to; who waits for its answer sees that.
  pipe.on('error', () => {})
  child.unref()
  return {
    pid,
    identity,
    send: (spec) => void pipe.end(JSON.stringify(spec)),
  }
}

function environment(config: Config, { userDir }: Places): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(
    inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
  return {
    ...kept,
    HOME: userDir,
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'}`,
    NODE_COMPILE_CACHE: config.compiledDir,
  }
}

/** Is there still the process that this record was written for? */
export const isAlive = ({ pid, identity }: InstanceRecord) => identityOf(pid) === identity

/**
 * Is it surely ours? A record may be damaged or forged, so besides the start time the process itself has to show it:
 * it knows the control token, or, when it hangs, it was started with our program and this id.
 */
export async function isOurs(config: Config, record: InstanceRecord): Promise<boolean> {
  if (!isAlive(record)) return false
  try {
    const info = await readInfo(record)
    return info.id === record.id && info.pid === record.pid
  } catch {
    const [, , entry, id] = argumentsOf(record.pid)
    return entry === config.runtimeEntry && id === record.id
  }
}

/** Sends a signal to the process, or with its whole group, once it is sure whose it is. Answers whether it was sent. */
export async function signal(config: Config, record: InstanceRecord, name: 'SIGTERM' | 'SIGKILL'): Promise<boolean> {
  if (!(await isOurs(config, record)) || !isAlive(record)) return false
  try {
    process.kill(name === 'SIGKILL' ? -record.pid : record.pid, name)
    return true
  } catch {
    return false
  }
}

/**
 * Ends what a dead process left in its group: programs that its flows had started. Only for a process that was seen
 * alive, since with the pid of a record alone this could be somebody else's group.
 */
export function endOrphans({ pid }: InstanceRecord): void {
  if (identityOf(pid) !== undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It left nothing.
  }
}

/** Waits until the process is gone; false when it is still there after `ms`. */
export async function isGoneWithin(record: InstanceRecord, ms: number): Promise<boolean> {
  for (const until = Date.now() + ms; Date.now() < until; await delay(10)) if (!isAlive(record)) return true
  return !isAlive(record)
}
