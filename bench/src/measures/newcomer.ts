import { execFileSync, spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { root } from '../../../tools/build/built.ts'
import { firstFlow, setupTokenIn } from '../../../tools/release/newcomer.ts'
import { makePackage } from '../../../tools/release/package.ts'
import { freePort } from '../../../tools/test/free-port.ts'
import { median, spread } from '../figures.ts'
import type { Measure } from '../measure.ts'
import type { Row } from '../report.ts'

const mb = 1024 ** 2
const patienceMs = 180_000

/** The way to the registry that the shell of this machine has. */
const way = ['NODE_EXTRA_CA_CERTS', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']

/** Without what npm tells the programs that it runs: a newcomer types these commands. */
const environment = (more: Record<string, string> = {}) => ({
  ...Object.fromEntries(way.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
  HOME: process.env.HOME ?? '/root',
  PATH: (process.env.PATH ?? '')
    .split(delimiter)
    .filter((path) => !path.includes('node_modules'))
    .join(delimiter),
  ...more,
})

/** Seconds that `work` takes. */
async function timed(work: () => unknown): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}

/** `npm ci && npm start` in a new clone of the last commit, up to the first answer of a flow; seconds by part. */
async function once() {
  const folder = mkdtempSync(join(tmpdir(), 'forge-newcomer-'))
  const clone = join(folder, 'clone')
  const home = join(folder, 'home')
  const port = await freePort()
  let pid: number | undefined
  try {
    const cloning = await timed(() => execFileSync('git', ['clone', '--quiet', root, clone]))
    const env = environment({ FORGE_HOME: home, FORGE_PORT: String(port) })
    const installing = await timed(() => execFileSync('npm', ['ci'], { cwd: clone, env, stdio: 'pipe' }))
    let said = ''
    const starting = await timed(async () => {
      const server = spawn('npm', ['start'], { cwd: clone, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
      pid = server.pid
      for (const stream of [server.stdout, server.stderr])
        stream.on('data', (part: Buffer) => (said += part.toString()))
      const until = performance.now() + patienceMs
      while (setupTokenIn(said) === undefined) {
        if (server.exitCode !== null || performance.now() > until) throw new Error(`npm start did not come up: ${said}`)
        await delay(20)
      }
    })
    const { instance, flow } = await firstFlow(port, setupTokenIn(said)!)
    return { cloning, installing, starting, instance: instance / 1000, flow: flow / 1000 }
  } finally {
    if (pid !== undefined) end(-pid)
    for (const one of programsOf(clone)) end(one)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** The processes whose program is in this folder: instances and the broker outlive the server. */
const programsOf = (folder: string): number[] =>
  globSync('/proc/[0-9]*/cmdline').flatMap((path) =>
    commandOf(path).startsWith(`${folder}/`) ? [Number(path.split('/')[2])] : [],
  )

function commandOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

const fixed = (seconds: number) => `${seconds.toFixed(1)} s`

/** The time that somebody waits who tries the product, from a clone and from the package. */
export const newcomer: Measure = async ({ quick }) => {
  const rounds: Awaited<ReturnType<typeof once>>[] = []
  for (let round = 0; round < (quick ? 1 : 3); round += 1) rounds.push(await once())
  const totals = rounds.map((parts) => Object.values(parts).reduce((sum, part) => sum + part))
  const part = (name: keyof (typeof rounds)[number]) => fixed(median(rounds.map((parts) => parts[name])))
  const clone: Row = {
    name: 'clone to first flow',
    value: median(totals),
    unit: 's',
    target: { is: 'at most', value: 45 },
    measured: 'git clone, npm ci, npm start, set-up with the sample instance, import of a flow, to its first answer',
    data: 'an empty folder; packages in the cache of npm',
    note: `${spread(totals)}; clone ${part('cloning')}, npm ci ${part('installing')}, build and start ${part('starting')}, instance ${part('instance')}, flow ${part('flow')}`,
  }
  return [clone, ...(await installed(quick))]
}

/** Time and size of the installed package. */
async function installed(quick: boolean): Promise<Row[]> {
  const file = await makePackage()
  const seconds: number[] = []
  let size = 0
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    const prefix = mkdtempSync(join(tmpdir(), 'forge-installed-'))
    try {
      const args = ['install', '-g', '--prefix', prefix, '--prefer-offline', '--no-audit', file]
      seconds.push(await timed(() => execFileSync('npm', args, { env: environment(), stdio: 'pipe' })))
      const listed = execFileSync('du', ['-sb', prefix], { encoding: 'utf8' })
      size = Number(listed.split('\t')[0]) / mb
    } finally {
      rmSync(prefix, { recursive: true, force: true })
    }
  }
  const data = 'the package of npm run package; packages in the cache of npm'
  return [
    { name: 'package, size of the file', value: statSync(file).size / mb, unit: 'MB', measured: 'the .tgz', data },
    {
      name: 'package, installed size',
      value: size,
      unit: 'MB',
      measured: 'the folder of npm install -g, Node.js 24 included',
      data,
    },
    {
      name: 'package, time to install',
      value: median(seconds),
      unit: 's',
      measured: 'npm install -g of the file',
      data,
      note: spread(seconds),
    },
  ]
}
