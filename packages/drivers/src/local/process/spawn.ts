import type { LaunchSpec } from '@app/contract/instance-link'
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Duplex } from 'node:stream'
import type { Config } from '../config.ts'
import { identityOf } from './identity.ts'

/**
 * The inherited variables that programs need to find each other and the network. Nothing of the platform is among
 * them.
 */
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
  // For the npm of Node-RED.
  'npm_config_registry',
]

const appending = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND

export interface SpawnOptions {
  /** Tells this process from others of its kind, together with its program. */
  label: string
  /** The memory of the stack, in MiB. */
  memory: number
  /** File for what the process prints outside its log. */
  output: string
  /** The Node.js of the stack. */
  node: string
  /** File of the training whose modules it loads before it waits for its specification. */
  training?: string
}

/** A process that has no specification yet. */
export interface Waiting {
  pid: number
  identity: string
  label: string
  /** Has loaded what its training says. */
  ready: Promise<void>
  isAlive(): boolean
  /** Hands over the specification; until then the process waits, and ends with this one. */
  send(spec: LaunchSpec): void
  /** Ends it. Only before the specification was sent. */
  end(): void
}

/**
 * Starts a process for an instance in a session of its own, so that nothing that happens to this process or its
 * terminal reaches it.
 * @throws Error when it cannot be started.
 */
export async function spawnRuntime(config: Config, options: SpawnOptions): Promise<Waiting> {
  const { label, memory, node, training } = options
  // Appending, so that what was written is given back to the disk when the file is cut.
  const output = openSync(options.output, appending, 0o600)
  try {
    const given = training === undefined ? [label] : [label, training]
    const [command, ...args] = [...config.wrap, node, ...limits(memory), config.runtimeEntry, ...given]
    const child = spawn(command!, args, {
      cwd: '/',
      detached: true,
      env: environment(config, node),
      stdio: ['ignore', output, output, 'pipe'],
    })
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    return describe(child, label)
  } finally {
    closeSync(output)
  }
}

function describe(child: ChildProcess, label: string): Waiting {
  const pid = child.pid!
  const identity = identityOf(pid)
  if (!identity) throw new Error('it ended at once')
  const pipe = child.stdio[3] as Duplex & { unref(): void }
  // The process may end while it is written to; who waits for its answer sees that.
  pipe.on('error', () => {})
  const ready = new Promise<void>((resolve) => pipe.once('data', resolve).once('close', resolve))
  child.unref()
  pipe.unref()
  return {
    pid,
    identity,
    label,
    ready: ready.then(() => {}),
    isAlive: () => child.exitCode === null && child.signalCode === null && identityOf(pid) === identity,
    send: (spec) => void pipe.end(JSON.stringify(spec)),
    end: () => void child.kill('SIGKILL'),
  }
}

/** The environment of a process that runs other people's code. HOME follows with the specification. */
export function environment(config: Config, node: string): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(
    inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
  return {
    ...kept,
    PATH: `${dirname(node)}:${process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'}`,
    NODE_COMPILE_CACHE: config.compiledDir,
    // A setting of the C library: fewer heaps for threads, and free memory is returned. Saves each instance 3 MB.
    MALLOC_ARENA_MAX: '2',
    MALLOC_TRIM_THRESHOLD_: '131072',
  }
}

/**
 * Three quarters of the memory for what lives long; the rest is for everything outside of that. What lives short gets
 * little room, or 25 MB of it would stay with every instance from its start on. V8 takes these only as it starts.
 */
export const limits = (memory: number) => [
  `--max-old-space-size=${Math.floor(memory * 0.75)}`,
  '--max-semi-space-size=2',
]
