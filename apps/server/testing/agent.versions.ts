import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestAgent } from './agent.ts'
import { until } from './build.ts'

const program = 'apps/agent/dist/main.js'
/** A service is started again so long after its end; systemd takes 2 s. */
const againMs = 100

/** The package of the agent that a platform serves, and others made of it. */
export async function openVersions(address: string) {
  const folder = await mkdtemp(join(tmpdir(), 'forge-versions-'))
  const served = join(folder, 'served.tgz')
  const answer = await fetch(`${address}/agent/flowforge-agent.tgz`)
  writeFileSync(served, await answer.bytes())
  execFileSync('tar', ['-xzf', served, '-C', folder])

  return {
    served,
    /** Unpacks the served version as another one into the folder of an installer, as the current one. */
    install(prefix: string, version: string): void {
      const target = join(prefix, 'versions', 'before')
      mkdirSync(join(prefix, 'versions'), { recursive: true })
      // Files are shared, but for the one that is changed.
      execFileSync('cp', ['-al', join(folder, 'package'), target])
      const packed = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as { version: string }
      const is = new RegExp(`(var version[\\w$]* = )"${packed.version.replaceAll('.', '\\.')}"`)
      const found = globSync('apps/agent/dist/**/*.js', { cwd: target }).filter((path) =>
        is.test(readFileSync(join(target, path), 'utf8')),
      )
      if (found.length !== 1) throw new Error(`The version of the agent stands in ${found.length} files`)
      const file = join(target, found[0]!)
      const text = readFileSync(file, 'utf8').replace(is, `$1"${version}"`)
      rmSync(file)
      writeFileSync(file, text)
      symlinkSync('versions/before', join(prefix, 'current'))
      cpSync(join(target, 'bin/launch'), join(prefix, 'launch'))
    },
    /** A package whose program is this one. */
    async pack(text: string): Promise<string> {
      const other = await mkdtemp(join(folder, 'other-'))
      mkdirSync(join(other, 'package/apps/agent/dist'), { recursive: true })
      mkdirSync(join(other, 'package/bin'))
      writeFileSync(join(other, 'package/package.json'), '{"type":"module"}')
      writeFileSync(join(other, 'package', program), text)
      const file = join(other, 'agent.tgz')
      execFileSync('tar', ['-czf', file, '-C', other, 'package'])
      return file
    },
    close: async () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

export const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

/** Runs an agent as its service does: by its launcher, again whenever it ends. */
export function keepAgent(agent: TestAgent, prefix: string, env: NodeJS.ProcessEnv = {}) {
  let child: ReturnType<typeof spawn>
  let isOver = false
  let starts = 0
  const lines: string[] = []
  const acts = new Set<{ on: RegExp; act(): void }>()

  function hear(line: string): void {
    lines.push(line)
    for (const one of acts)
      if (one.on.test(line)) {
        acts.delete(one)
        one.act()
      }
  }
  function start(): void {
    starts += 1
    child = spawn('/bin/sh', [join(prefix, 'launch'), process.execPath, '--dir', agent.dir], {
      env: { PATH: process.env.PATH, HOME: agent.dir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout!, child.stderr!]) {
      let rest = ''
      stream.setEncoding('utf8').on('data', (part: string) => {
        const found = (rest + part).split('\n')
        rest = found.pop()!
        found.forEach(hear)
      })
    }
    child.once('exit', () => !isOver && setTimeout(() => !isOver && start(), againMs))
  }
  start()

  return {
    lines,
    starts: () => starts,
    kill: () => void child.kill('SIGKILL'),
    said: async (what: RegExp) =>
      until(
        async () => lines.findLast((line) => what.test(line)) ?? '',
        (line) => line !== '',
        90_000,
      ),
    /** Kills the agent as soon as it says this, once. */
    killAt(on: RegExp): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      acts.add({
        on,
        act() {
          child.kill('SIGKILL')
          resolve()
        },
      })
      return promise
    },
    /** Ends the service. */
    async close(): Promise<void> {
      isOver = true
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The contents of the installer's folder: the version that is started, and whether one is on trial or to be tried. */
export const linksOf = (prefix: string) => ({
  current: readlinkSync(join(prefix, 'current')),
  isTrying: existsSync(join(prefix, 'trying')) || existsSync(join(prefix, 'next')),
  versions: globSync('versions/*', { cwd: prefix }).sort(),
})
