import { expect, test } from 'vitest'
import { openNodeRedWorkshop, until } from '../../../testing/index.ts'

const deadline = 300_000
/** An older one than those that the other tests have installed; it is fetched from the registry that npm is set to. */
const version = '4.1.14'
const { server, admin, owner, application } = await openNodeRedWorkshop()

async function save(name: string, nodered: string) {
  const { projectType, template } = await server.build.choice()
  const body = { name, projectType, properties: { nodered, memory: 256 } }
  const { id } = await admin.client.call('stack.create', { body })
  const read = () => admin.client.call('stack.get', { params: { stackId: id } })
  const jobs = async () => (await admin.client.call('stack.jobs', { params: { stackId: id } })).jobs
  const choose = () =>
    owner.client.call('instance.create', {
      body: {
        name: `on-${id.slice(-6).toLowerCase()}`,
        applicationId: application.id,
        projectType,
        template,
        stack: id,
      },
    })
  return { read, jobs, choose }
}

test('a version that is not here is fetched, installed and started on trial, and only then can it be chosen', {
  timeout: deadline,
}, async () => {
  const { read, jobs, choose } = await save('older', version)
  await expect(choose()).rejects.toMatchObject({ code: 'invalid_stack', message: /still being prepared/ })
  const states = new Set<string>()
  const told = new Set<string>()
  const { meta } = await until(
    async () => {
      const stack = await read()
      states.add(stack.meta.state)
      for (const { text } of (await jobs()).flatMap(({ steps }) => steps)) if (text) told.add(text)
      return stack
    },
    ({ meta: { state } }) => state === 'ready' || state === 'failed',
    deadline,
  )
  if (meta.reason?.includes('registry')) throw new Error(`This test needs the npm registry: ${meta.reason}`)
  expect(meta).toEqual({ state: 'ready' })
  expect([...states]).toEqual(expect.arrayContaining(['installing', 'verifying', 'ready']))
  expect(told.size).toBeGreaterThan(1)
  const { id, ...chosen } = await choose()
  expect(chosen).toMatchObject({ stack: { properties: { nodered: version } } })
  await until(
    () => owner.client.call('instance.get', { params: { instanceId: id } }),
    (one) => one.meta.state === 'running',
    deadline,
  )
})

test('a version that the registry does not have fails with its sentence, and cannot be chosen', {
  timeout: deadline,
}, async () => {
  const { read, choose } = await save('none', '4.1.999')
  const { meta } = await until(read, ({ meta: { state } }) => state === 'failed', deadline)
  expect(meta.reason).toBe('The npm registry has no such version: Node-RED 4.1.999')
  await expect(choose()).rejects.toMatchObject({ code: 'invalid_stack' })
})
