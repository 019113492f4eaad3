import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openModules } from '../../testing/modules.harness.ts'

// npm takes its time where others work too.
vi.setConfig({ testTimeout: 60_000 })

let world: Awaited<ReturnType<typeof openModules>>
let serial = 0
beforeAll(async () => {
  world = await openModules()
})
afterAll(() => world.close())
const instance = () => ({ ...world, id: `shape-${(serial += 1)}` })
const manifest = (name: string, version: string, more: object = {}) => JSON.stringify({ name, version, ...more })

test('a module whose bundled packages do not fit each other is installed, as the palette manager does it', async () => {
  const { id, registry, start, version } = instance()
  registry.publish('numbers', '5.3.0')
  registry.publish('numbers', '5.7.2')
  registry.publish(
    'mailer',
    '5.2.5',
    {
      'node_modules/numbers/package.json': manifest('numbers', '5.7.2'),
      'node_modules/letters/package.json': manifest('letters', '1.0.2', { dependencies: { numbers: '~5.3.0' } }),
    },
    { dependencies: { numbers: '5.7.2', letters: '1.0.2' }, bundleDependencies: ['numbers', 'letters'] },
  )
  registry.publish('letters', '1.0.2', {}, { dependencies: { numbers: '~5.3.0' } })
  await start(id, { mailer: '5.2.5' })
  expect([version(id, 'mailer'), version(id, 'mailer/node_modules/numbers')]).toEqual(['5.2.5', '5.7.2'])
  const other = instance()
  const asked = registry.asked.length
  await other.start(other.id, { mailer: '5.2.5' })
  expect([other.version(other.id, 'mailer'), registry.asked.length]).toEqual(['5.2.5', asked])
})

test('a module that ships a lock file of an old npm is installed', async () => {
  const { id, registry, start, version } = instance()
  registry.publish('wire', '1.0.0')
  registry.publish('wire', '1.1.0')
  const shrinkwrap = { lockfileVersion: 1, dependencies: { wire: { version: '1.0.0' } } }
  registry.publish(
    'meter',
    '0.3.0',
    { 'npm-shrinkwrap.json': JSON.stringify({ name: 'meter', version: '0.3.0', ...shrinkwrap }) },
    { dependencies: { wire: '^1.0.0' }, _hasShrinkwrap: true },
  )
  await start(id, { meter: '0.3.0' })
  expect([version(id, 'meter'), version(id, 'meter/node_modules/wire')]).toEqual(['0.3.0', '1.0.0'])
})

test('a module whose wish for another is met by a version that is there too is installed', async () => {
  const { id, registry, start, version } = instance()
  registry.publish('frame', '2.0.0')
  registry.publish('frame', '3.0.0')
  registry.publish('widget', '1.0.0', {}, { peerDependencies: { frame: '2.x' } })
  registry.publish('board', '1.0.0', {}, { dependencies: { widget: '1.0.0', frame: '3.0.0' } })
  await start(id, { board: '1.0.0' })
  expect([version(id, 'board'), version(id, 'widget')]).toEqual(['1.0.0', '1.0.0'])
})

test('a package that lies on a host which cannot be reached is named with that host', async () => {
  const { id, registry, start } = instance()
  registry.publish('buffers', '1.0.0', {}, { dependencies: { far: 'http://127.0.0.1:9/far.tgz' } })
  await expect(start(id, { buffers: '1.0.0' })).rejects.toMatchObject({
    code: 'registry_unreachable',
    message: 'A package needed for the modules lies on 127.0.0.1:9, and the server cannot reach that host',
  })
})

test('the cause of a failure holds what npm complains of, and neither its downloads nor its remarks on settings', async () => {
  const { id, start } = instance()
  const fault = (await start(id, { nothing: '1' }).catch((error: unknown) => error)) as Error
  const cause = (fault.cause as Error).message
  expect(cause).toContain('npm error 404')
  expect(cause).not.toMatch(/npm http|Unknown \w+ config|complete log/)
})

test('a package that the registry does not have is named with the module that needs it', async () => {
  const { id, registry, start } = instance()
  registry.publish('panel', '1.0.0', {}, { dependencies: { nowhere: '^1.0.0' } })
  await expect(start(id, { panel: '1.0.0' })).rejects.toMatchObject({
    code: 'module_missing',
    message: 'The npm registry has no module named nowhere, which is needed by panel',
  })
})

test('an instance that has run can go on with the modules it has when a list of them cannot be had', async () => {
  const { id, start, modules, specOf, version, dependencies } = instance()
  const wanted = specOf(id, { oven: '1.0.0', gone: '1.0.0' })
  // Nothing was ever installed that it could go on with.
  expect(await modules.canKeep(wanted)).toBe(false)
  await start(id, { oven: '1.0.0' })
  await expect(modules.apply(wanted)).rejects.toMatchObject({ code: 'module_missing' })
  expect(await modules.canKeep(wanted)).toBe(true)
  await modules.keep(wanted)
  expect(await modules.versionsIn(id, ['oven', 'gone', '../oven'])).toEqual({ oven: '1.0.0' })
  expect([version(id, 'oven'), dependencies(id)]).toEqual(['1.0.0', { oven: '1.0.0' }])
  // Compiled parts would not load there.
  const { stack } = wanted
  expect(await modules.canKeep({ ...wanted, stack: { ...stack, nodejs: '22.0.0' } })).toBe(false)
})

test('what the modules of an instance need is read from their packages', async () => {
  const { id, registry, start, modules } = instance()
  registry.publish('lathe', '1.2.0', {}, { engines: { node: '>=20' }, 'node-red': { version: '>=4.0.0', nodes: {} } })
  await start(id, { lathe: '1.2.0', oven: '1.0.0' })
  expect(await modules.needsIn(id, ['lathe', 'oven', 'gone', '../lathe'])).toEqual({
    lathe: { version: '1.2.0', nodered: '>=4.0.0', node: '>=20' },
    oven: { version: '1.0.0' },
  })
})
