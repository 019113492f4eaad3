import { spawn } from 'node:child_process'
import { DriverError } from '../../driver.ts'
import type { Config } from '../config.ts'
import { excerptOf, type Explain, faultOf } from './npm.errors.ts'

/** Settings of the npm that runs us which its child needs to reach the same registry in the same way. The rest is about our own folder. */
const kept = /^npm_config_(cache|userconfig|globalconfig|registry|proxy|https_proxy|noproxy|cafile|ca|strict_ssl)$/i
/** The variables npm inherits, to find programs and the network; no secret of the platform is among them. */
const inherited =
  /^(path|home|lang|lc_all|tz|tmpdir|https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_file|ssl_cert_dir)$/i
const outputMax = 64 * 1024
/** More would only make them wait for each other's disk and network. */
const atOnce = 2
const longestMs = 10 * 60_000

/** The same for everything that is installed; `http` makes npm tell of each download, which is the progress there is. */
const options = [
  '--loglevel=http',
  '--ignore-scripts',
  '--omit=dev',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--fetch-retries=2',
  '--fetch-retry-factor=2',
  '--fetch-retry-mintimeout=500',
  '--fetch-retry-maxtimeout=5000',
  '--fetch-timeout=60000',
  // A module must not lead npm to the platform's own files, or to a program of its choice.
  '--allow-git=none',
  '--allow-file=none',
  '--allow-directory=none',
]

export interface NpmTask {
  folder: string
  args: string[]
  /** Puts what went wrong into a sentence. */
  explain: Explain
  /** Gets each line of npm's log. */
  onLine?: (line: string) => void
  /** Called when it has to wait for others. */
  onQueued?: () => void
  /** Runs it as this user, without ever more rights, at home in the folder and with this Node.js first on its path. */
  as?: { uid: number | undefined; nodeDir: string }
}

export type Npm = ReturnType<typeof createNpm>

/** Runs npm, a few at a time and each for a limited time. `wrap` stands before it where it runs scripts of strangers. */
export function createNpm(npm: Config['npm'], { limitMs = longestMs, wrap = [] as string[] } = {}) {
  const children = new Set<() => void>()
  const waiting: (() => void)[] = []
  let free = atOnce
  let closed = false

  async function slot(onQueued: (() => void) | undefined): Promise<void> {
    if (free > 0) return void (free -= 1)
    onQueued?.()
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }

  async function execute({ folder, args, explain, onLine = () => {}, as }: NpmTask): Promise<void> {
    if (closed) throw interrupted()
    const [command, ...rest] = [...(as ? wrap : []), npm.command, ...npm.args, args[0]!, ...options, ...args.slice(1)]
    const child = spawn(command!, rest, {
      cwd: folder,
      env: environment(as && { ...as, home: folder }),
      stdio: ['ignore', 'ignore', 'pipe'],
      // In a group of its own, to be ended together with what it has started.
      detached: true,
      ...(as?.uid === undefined ? {} : { uid: as.uid, gid: as.uid }),
    })
    const end = () => {
      try {
        process.kill(-child.pid!, 'SIGKILL')
      } catch {
        // Ended by itself.
      }
    }
    children.add(end)
    let late = false
    const timer = setTimeout(() => {
      late = true
      end()
    }, limitMs)
    let output = ''
    let begun = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-outputMax)
      const lines = (begun + chunk).split('\n')
      begun = (lines.pop() ?? '').slice(-outputMax)
      lines.forEach(onLine)
    })
    try {
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', (cause) =>
          reject(new DriverError('npm_missing', 'npm could not be run, and it is needed for this', { cause })),
        )
        child.once('close', resolve)
      })
      if (code !== 0 && closed) throw interrupted()
      if (code !== 0) throw explain(late ? { kind: 'late' } : faultOf(output), new Error(excerptOf(output)))
    } finally {
      clearTimeout(timer)
      children.delete(end)
      // Its scripts may have left processes behind.
      end()
    }
  }

  return {
    /** @throws DriverError what `explain` made of it; npm_missing; interrupted by `close`. */
    async run(task: NpmTask): Promise<void> {
      await slot(task.onQueued)
      try {
        await execute(task)
      } finally {
        leave()
      }
    },
    /** Ends what runs and begins nothing more. */
    close(): void {
      closed = true
      for (const end of children) end()
    },
  }
}

const interrupted = () => new DriverError('interrupted', 'The platform was stopped in the meantime')

function environment(as: { home: string; nodeDir: string } | undefined): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => inherited.test(name) || kept.test(name))
  if (!as) return Object.fromEntries(own)
  // Programs of strangers: neither our npm's account at the registry nor our folders.
  const plain = Object.fromEntries(own.filter(([name]) => !kept.test(name)))
  return {
    ...plain,
    HOME: as.home,
    PATH: `${as.nodeDir}:${process.env.PATH ?? ''}`,
    npm_config_cache: `${as.home}/.npm`,
  }
}
