import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openModules } from '../../testing/modules.harness.ts'
import { identityOf } from '../process/identity.ts'

/**
 * A store of the test's own, where it breaks something or counts. The other tests share one, since npm takes its
 * time.
 */
async function begin(options?: Parameters<typeof openModules>[0]) {
  const world = await openModules(options)
  onTestFinished(() => world.close())
  return world
}

// npm takes its time where others work too.
vi.setConfig({ testTimeout: 60_000 })

let shared: Awaited<ReturnType<typeof openModules>>
let serial = 0
beforeAll(async () => {
  shared = await openModules()
})
afterAll(() => shared.close())
/** An instance that nobody has had yet. */
const instance = () => ({ ...shared, id: `instance-${(serial += 1)}` })

test('the second instance with the same modules needs no npm, and shares the files', async () => {
  const { registry, prepare, start, path, version, said, dependencies } = await begin()
  await prepare('one', { oven: '^1.0.0' })
  expect(said).toContainEqual({ text: 'Installing the modules', done: 2, total: 2 })
  await start('one', { oven: '^1.0.0' })
  expect([version('one', 'oven'), version('one', 'fan')]).toEqual(['1.1.0', '2.0.0'])
  expect(dependencies('one')).toEqual({ oven: '^1.0.0' })
  await registry.close()
  await start('two', { oven: '^1.0.0' })
  expect(version('two', 'oven')).toBe('1.1.0')
  const file = (id: string, ...parts: string[]) => statSync(path(id, 'node_modules', ...parts))
  expect(file('two', 'oven', 'index.js').ino).toBe(file('one', 'oven', 'index.js').ino)
  expect(file('two', 'oven', 'index.js').mode & 0o777).toBe(0o444)
  // npm rewrites this in place.
  expect(file('two', '.package-lock.json').ino).not.toBe(file('one', '.package-lock.json').ino)
  expect(existsSync(path('two', 'node_modules', '.bin', 'oven'))).toBe(true)
})

test('what a list means is found out once: a later version does not change the next instance', async () => {
  const { registry, start, version } = await begin()
  await start('one', { lamp: '^3.0.0' })
  registry.publish('lamp', '3.3.0')
  await start('two', { lamp: '^3.0.0' })
  expect(version('two', 'lamp')).toBe('3.2.1')
})

test("what npm remembers of a registry does not hide a newer version, whatever the platform's own npm settings", async () => {
  // This one leaves the addresses out of the lock, so npm looks every package up a second time.
  const { registry, start, version } = await begin({ args: ['--omit-lockfile-registry-resolved'] })
  await start('one', { oven: '1.0.0' })
  registry.publish('fan', '2.1.0')
  await start('two', { oven: '1.1.0' })
  expect([version('one', 'fan'), version('two', 'fan')]).toEqual(['2.0.0', '2.1.0'])
})

test('a version that the registry has taken back is replaced by one that fits', async () => {
  const { registry, start, version, home } = await begin()
  await start('one', { lamp: '^3.0.0' })
  registry.retract('lamp', '3.2.1')
  registry.publish('lamp', '3.2.2')
  for (const folder of ['modules/sets', 'cache']) await rm(join(home, folder), { recursive: true })
  await start('two', { lamp: '^3.0.0' })
  expect([version('one', 'lamp'), version('two', 'lamp')]).toEqual(['3.2.1', '3.2.2'])
})

test('a running instance keeps its modules until the next start', async () => {
  const { id, prepare, start, version } = instance()
  await start(id, { oven: '1.0.0' })
  await prepare(id, { oven: '1.1.0', lamp: '*' })
  expect([version(id, 'oven'), version(id, 'lamp')]).toEqual(['1.0.0', undefined])
  await start(id, { oven: '1.1.0', lamp: '*' })
  expect([version(id, 'oven'), version(id, 'lamp')]).toEqual(['1.1.0', '3.2.1'])
  await start(id, {})
  expect([version(id, 'oven'), version(id, 'lamp')]).toEqual([undefined, undefined])
})

test.each([
  [{ nothing: '^1.0.0' }, 'module_missing', 'The npm registry has no module named nothing'],
  [{ '@none/such': '*' }, 'module_missing', 'The npm registry has no module named @none/such'],
  [{ lamp: '^9.0.0' }, 'module_version', 'The npm registry has no version that fits lamp@^9.0.0'],
  [
    { oven: '1.1.0', picky: '1.0.0' },
    'module_conflict',
    'These modules do not go together: picky@1.0.0 needs oven@^9.0.0, and there is oven@1.1.0; choose other versions',
  ],
  [{ lamp: 'file:/etc' }, 'module_invalid', 'The module lamp has no version of the npm registry: "file:/etc"'],
  [{ lamp: 'github:a/b' }, 'module_invalid', 'The module lamp has no version of the npm registry: "github:a/b"'],
  [{ lamp: 'x.tgz' }, 'module_invalid', 'The module lamp has no version of the npm registry: "x.tgz"'],
  [{ '../lamp': '1' }, 'module_invalid', '"../lamp" is no name of a module'],
])('%j is refused with a sentence, and the instance keeps what it has', async (list, code, message) => {
  const { id, start, version, home } = instance()
  await start(id, { oven: '1.0.0' })
  await expect(start(id, list)).rejects.toMatchObject({ name: 'DriverError', code, message })
  expect(version(id, 'oven')).toBe('1.0.0')
  expect((await readdir(join(home, 'modules', 'sets'))).filter((name) => name.startsWith('partial'))).toEqual([])
})

test.each([
  [500, 'registry_failing', 'The npm registry answered with an error (500); try again later'],
  [403, 'registry_refused', 'The npm registry does not allow the platform to fetch the modules'],
])('a registry that answers %i', async (status, code, message) => {
  const { prepare, registry } = await begin()
  registry.behaviour.failWith = status
  await expect(prepare('one', { lamp: '*' })).rejects.toMatchObject({ code, message })
})

test('a registry that cannot be reached', async () => {
  const elsewhere = await begin()
  await elsewhere.registry.close()
  await expect(elsewhere.prepare('one', { lamp: '*' })).rejects.toMatchObject({
    code: 'registry_unreachable',
    message: 'The npm registry cannot be reached; check the network connection of the server',
  })
})

test('npm is ended when it takes too long, and when the platform stops', async () => {
  const slow = await begin({ limitMs: 1_500 })
  slow.registry.behaviour.silent = true
  await expect(slow.prepare('one', { lamp: '*' })).rejects.toMatchObject({
    code: 'install_timeout',
    message: 'npm took too long to install the modules and was ended; try again later',
  })
  const stopped = await begin()
  stopped.registry.behaviour.silent = true
  const failed = stopped.prepare('one', { lamp: '*' }).catch((error: unknown) => error)
  while (stopped.registry.asked.length === 0) await delay(20)
  stopped.npm.close()
  expect(await failed).toMatchObject({ code: 'interrupted' })
  expect(existsSync(stopped.path('one', 'node_modules'))).toBe(false)
})

test('a full disk has its own words', async () => {
  const home = await mkdtemp(join(tmpdir(), 'forge-npm-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const npm = join(home, 'npm.mjs')
  await writeFile(npm, "console.error('npm error code ENOSPC'); process.exit(1)")
  const { prepare, path } = await begin({ command: process.execPath, args: [npm] })
  await expect(prepare('one', { lamp: '*' })).rejects.toMatchObject({
    code: 'disk_full',
    message: 'There is not enough disk space to install the modules',
  })
  expect(existsSync(path('one', 'node_modules'))).toBe(false)
})

test('modules that people installed in the editor stay, and are part of what is installed next', async () => {
  const { id, start, install, version, dependencies, path, registry } = instance()
  await start(id, { oven: '1.0.0' })
  await install(id, 'lamp', '3.2.1')
  const before = statSync(path(id, 'node_modules')).ino
  const calls = registry.asked.length
  await start(id, { oven: '1.0.0' })
  expect([version(id, 'lamp'), statSync(path(id, 'node_modules')).ino, registry.asked.length]).toEqual([
    '3.2.1',
    before,
    calls,
  ])
  await start(id, { oven: '1.1.0' })
  expect([version(id, 'lamp'), version(id, 'oven')]).toEqual(['3.2.1', '1.1.0'])
  expect(dependencies(id)).toEqual({ lamp: '~3.2.1', oven: '1.1.0' })
  expect(JSON.parse(readFileSync(path(id, 'package.json'), 'utf8'))).toMatchObject({ name: 'mine' })
})

test('a version on the list that lies there already is no change, whatever range npm noted', async () => {
  const { registry, prepare, start, path, version, modules, specOf, at } = await begin()
  await start('one', { oven: '*' })
  expect(version('one', 'oven')).toBe('1.1.0')
  const { ino } = statSync(path('one', 'node_modules', 'oven', 'package.json'))
  registry.publish('oven', '1.2.0')
  await registry.close()
  // The list says by now what was found.
  expect(await modules.isPut(specOf('one', { oven: '1.1.0' }))).toBe(true)
  await prepare('one', { oven: '1.1.0' })
  expect(existsSync(join(at('one').folder, 'modules.next'))).toBe(false)
  await start('one', { oven: '1.1.0' })
  expect(statSync(path('one', 'node_modules', 'oven', 'package.json')).ino).toBe(ino)
  // And a copy gets it without asking anybody.
  await start('two', { oven: '1.1.0' })
  expect(version('two', 'oven')).toBe('1.1.0')
  expect(await modules.isPut(specOf('one', { oven: '1.2.0' }))).toBe(false)
})

test('a listed version stays when another module is added, though the editor noted a range', async () => {
  const { registry, install, start, version } = await begin()
  await install('one', 'lamp', '3.2.1')
  await start('one', { lamp: '3.2.1' })
  registry.publish('lamp', '3.2.9')
  await start('one', { lamp: '3.2.1', fan: '*' })
  expect([version('one', 'lamp'), version('one', 'fan')]).toEqual(['3.2.1', '2.0.0'])
})

test('an instance that never had a list keeps what its editor installed when its stack changes', async () => {
  const { id, start, install, version, modules, specOf, path } = instance()
  await start(id, {})
  await install(id, 'lamp', '3.2.1')
  await modules.apply({ ...specOf(id, {}), stack: { nodered: '4.1.15', memory: 256 } })
  expect(version(id, 'lamp')).toBe('3.2.1')
  expect(existsSync(path(id, 'node_modules', 'lamp', 'index.js'))).toBe(true)
})

const interruptions: [string, (folder: string) => Promise<void>][] = [
  ['while it was put together', (folder) => rename(join(folder, 'modules.next'), join(folder, 'modules.making'))],
  ['when the old ones were out', (folder) => rename(join(folder, 'user/node_modules'), join(folder, 'modules.old'))],
  [
    'when the new ones were in',
    async (folder) => {
      await rename(join(folder, 'user/node_modules'), join(folder, 'modules.old'))
      await rename(join(folder, 'modules.next/node_modules'), join(folder, 'user/node_modules'))
    },
  ],
  [
    'while it was thrown away',
    async (folder) => {
      await mkdir(join(folder, 'modules.next.removed'))
      await rename(join(folder, 'modules.next'), join(folder, 'modules.next.removed/one'))
    },
  ],
]

test.each(interruptions)('a change that was killed %s is ended by the next start', async (_when, interrupt) => {
  const { id, prepare, start, version, at, dependencies } = instance()
  await start(id, { oven: '1.0.0' })
  await prepare(id, { oven: '1.1.0' })
  await interrupt(at(id).folder)
  await start(id, { oven: '1.1.0' })
  expect([version(id, 'oven'), dependencies(id)]).toEqual(['1.1.0', { oven: '1.1.0' }])
  expect((await readdir(at(id).folder)).filter((name) => name.startsWith('modules.'))).toEqual(['modules.json'])
})

test.each(interruptions)('one that was killed %s can be taken back', async (_when, interrupt) => {
  const { id, prepare, start, version, at } = instance()
  await start(id, { oven: '1.0.0' })
  await prepare(id, { oven: '1.1.0' })
  await interrupt(at(id).folder)
  await start(id, { oven: '1.0.0' })
  expect(version(id, 'oven')).toBe('1.0.0')
  expect((await readdir(at(id).folder)).filter((name) => name.startsWith('modules.'))).toEqual(['modules.json'])
})

test('a platform that is killed at any moment leaves an instance whole: with the one set or with the other', async () => {
  const { id, home, start, version, dependencies, at } = instance()
  const lists = [{ oven: '1.0.0' }, { oven: '1.1.0' }]
  for (const list of lists) await start(id, list)
  const program = join(home, 'change.mts')
  await writeFile(
    program,
    `import { createModules } from ${JSON.stringify(join(import.meta.dirname, 'modules.ts'))}
    const modules = createModules({
      folder: ${JSON.stringify(join(home, 'modules'))},
      instancesDir: ${JSON.stringify(join(home, 'instances'))},
      npm: { run: async () => { throw new Error('npm is not needed') }, close() {} },
      nodeOf: () => ({ path: process.execPath, version: '24.1.0' }),
      ownerOf: () => undefined,
      lend: () => undefined,
    })
    process.stdout.write('go')
    for (let turn = 0; ; turn += 1)
      await modules.apply({ id: '${id}', stack: { nodered: '5.0.7', memory: 256 }, modules: ${JSON.stringify(lists)}[turn % 2] })`,
  )
  for (let kill = 0; kill < 8; kill += 1) {
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    await once(child.stdout, 'data')
    await delay(3 + kill * 1.7)
    child.kill('SIGKILL')
    await ended
    await start(id, lists[kill % 2]!)
    expect([version(id, 'oven'), dependencies(id)]).toEqual([lists[kill % 2]!.oven, lists[kill % 2]])
    expect(version(id, 'fan')).toBe('2.0.0')
    expect((await readdir(at(id).folder)).filter((name) => name.startsWith('modules.'))).toEqual(['modules.json'])
  }
})

test('install scripts run only where they are allowed, as users of their own, with nothing of ours, and leave nothing running', async () => {
  const { registry, modules, specOf, path, home } = await begin()
  // As the driver leaves it where instances have users of their own.
  await chmod(home, 0o711)
  process.env.FORGE_SECRET_KEY = 'secret-of-the-platform'
  onTestFinished(() => void delete process.env.FORGE_SECRET_KEY)
  const script = `
    const left = require('child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' })
    left.unref()
    require('fs').writeFileSync('ran.json', JSON.stringify({ uid: process.getuid(), env: process.env, left: left.pid, status: require('fs').readFileSync('/proc/self/status', 'utf8') }))`
  registry.publish('built', '1.0.0', { 'script.js': script }, { scripts: { install: 'node script.js' } })
  const ran = (id: string) => path(id, 'node_modules', 'built', 'ran.json')
  await modules.apply(specOf('without', { built: '1.0.0' }))
  expect(existsSync(ran('without'))).toBe(false)
  await modules.apply({ ...specOf('with', { built: '1.0.0' }), installScripts: true })
  const { uid, env, left, status } = JSON.parse(readFileSync(ran('with'), 'utf8')) as {
    uid: number
    status: string
    env: Record<string, string>
    left: number
  }
  expect(uid).toBe(process.getuid?.() === 0 ? 199_999 : process.getuid?.())
  expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
  expect(identityOf(left)).toBeUndefined()
  expect(JSON.stringify(env)).not.toContain('secret-of-the-platform')
  expect(statSync(ran('with')).uid).toBe(process.getuid?.())
})

test('what the instance puts in the place of its package.json is not followed', async () => {
  const { id, home, start, path, version } = instance()
  await start(id, { oven: '1.0.0' })
  await writeFile(join(home, 'foreign.json'), '{"dependencies":{"lamp":"*"}}')
  await rm(path(id, 'package.json'))
  await symlink(join(home, 'foreign.json'), path(id, 'package.json'))
  await start(id, { oven: '1.1.0' })
  expect([version(id, 'oven'), version(id, 'lamp')]).toEqual(['1.1.0', undefined])
  expect(readFileSync(join(home, 'foreign.json'), 'utf8')).toBe('{"dependencies":{"lamp":"*"}}')
})

test('sets that no instance has are removed after a week', async () => {
  const { home, start, modules, at, path } = await begin()
  await start('one', { oven: '1.0.0' })
  await start('two', { lamp: '*' })
  await rm(at('two').folder, { recursive: true })
  const sets = () => readdir(join(home, 'modules', 'sets'))
  await modules.collect(Date.now())
  expect((await sets()).length).toBe(2)
  await modules.collect(Date.now() + 8 * 24 * 60 * 60_000)
  expect((await sets()).length).toBe(1)
  expect(existsSync(path('one', 'node_modules', 'oven', 'index.js'))).toBe(true)
})
