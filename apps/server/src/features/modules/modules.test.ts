import { expect, test } from 'vitest'
import { DriverError } from '@app/drivers'
import { openWorkshop } from '../../../testing/index.ts'

const { server, owner, act, inState, read, running, script, settled } = await openWorkshop()

const done = (id: string) => script().calls.flatMap((call) => (call.id === id ? [call.operation] : []))
const usage = async (instanceId: string) =>
  (await owner.client.call('instance.usage', { params: { instanceId } })).usage

test('a restart installs the modules of the palette while the instance still runs', async () => {
  const { id } = await running()
  const palette = { modules: [{ name: 'fan', version: '^2.0.0', local: false }] }
  const settings = JSON.stringify({ palette })
  await server.app.database.read.updateTable('instances').set({ settings }).where('id', '=', id).execute()
  const before = done(id).length
  await act('restart', id)
  const [job] = await settled(id)
  expect(job?.steps.map(({ name }) => name)).toContain('Install modules')
  expect(done(id).slice(before, before + 2)).toEqual(['prepareModules', 'stop'])
  expect(script().spec(id)).toMatchObject({ modules: { fan: '^2.0.0' }, installScripts: false })
})

test('an instance whose modules cannot be installed starts with those that it has, and says why until they can', async () => {
  const { id } = await running()
  const sentence = 'The npm registry has no module named fan'
  for (const action of ['restart', 'start'] as const) {
    if (action === 'start') {
      await act('suspend', id)
      await inState(id, 'suspended')
    }
    script().failNext('prepareModules', new DriverError('module_missing', sentence))
    await act(action, id)
    const [job] = await settled(id)
    expect(job?.state).toBe('done')
    expect((await read(id)).meta).toMatchObject({ state: 'running', notInForce: { modules: sentence } })
    expect(script().spec(id)).toMatchObject({ keepModules: true })
  }
  await act('restart', id)
  await settled(id)
  expect((await read(id)).meta.notInForce).toBeUndefined()
  expect(script().spec(id)).not.toHaveProperty('keepModules')
})

test('tells what a running instance uses, and nothing of one that does not run', async () => {
  const { id } = await running()
  expect(await usage(id)).toEqual({ at: expect.any(Number), cpuMs: 0, memoryMb: 0 })
  await act('suspend', id)
  await inState(id, 'suspended')
  expect(await usage(id)).toBeNull()
})

test('where it could not be started with those that it has, they leave the running instance as it is, and say why', async () => {
  const { id } = await running()
  script().keepNoModules()
  const before = done(id).length
  const sentence = 'The npm registry has no module named fan'
  script().failNext('prepareModules', new DriverError('module_missing', sentence))
  await act('restart', id)
  const [job] = await settled(id)
  expect(job).toMatchObject({ state: 'failed', error: sentence })
  expect(done(id).slice(before)).toEqual(['prepareModules'])
  expect((await read(id)).meta).toMatchObject({ state: 'running', reason: sentence })
})
