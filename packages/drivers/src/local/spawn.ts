import type { LaunchSpec } from '@app/contract/instance-link'
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import type { Config } from './config.ts'
import { identityOf } from './identity.ts'
import type { Places } from './places.ts'

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
    const child = spawn(process.execPath, [...limits(memory), config.runtimeEntry, id], {
      cwd: places.userDir,
      detached: true,
      env: environment(config, places),
      stdio: ['ignore', output, output, 'pipe'],
    })
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

/**
 * Three quarters of the memory for what lives long; the rest is for everything outside of that. What lives short gets
 * little room, or 25 MB of it would stay with every instance from its start on.
 */
const limits = (memory: number) => [`--max-old-space-size=${Math.floor(memory * 0.75)}`, '--max-semi-space-size=2']
