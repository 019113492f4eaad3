import { DriverError } from '@app/drivers'
import { expect, onTestFinished, test } from 'vitest'
import { createStubDriver, instanceCalls, openStream, startServer, until } from '../../../testing/index.ts'

/** A platform whose driver has no stack yet, and fetches them only as the test lets it. */
async function begin() {
  const stub = createStubDriver()
  stub.script.haveStacks()
  const latch = Promise.withResolvers<void>()
  const driver: typeof stub = {
    ...stub,
    async installStack(stack, report) {
      report({ text: 'Fetching', done: 1, total: 2 })
      await latch.promise
      report({ text: 'Trying', done: 2, total: 2, verifying: true })
      await stub.installStack(stack, report)
    },
  }
  const server = await startServer({ driver: () => driver })
  onTestFinished(() => server.close())
  const { owner, team, admin } = await server.build.platform()
  const choice = await server.build.choice()
  const application = await server.build.application(owner, team)
  const stacks = async () => (await owner.client.call('stack.list')).stacks
  const calls = instanceCalls(() => ({ server, owner, application }))
  return {
    ...calls,
    server,
    script: stub.script,
    admin,
    owner,
    choice,
    latch,
    application,
    /** Waits until each stack is in the state that stands for it. */
    states: (...wanted: string[]) => until(stacks, (all) => all.map(({ meta }) => meta.state).join() === wanted.join()),
    other: async () => (await stacks()).find(({ id }) => id !== choice.stack)!.id,
  }
}

test('a stack is fetched and tried before it can be chosen, one after the other, and administrators see how far it is', async () => {
  const { server, admin, owner, latch, states, choice, application, other } = await begin()
  const [forAdmin, forOwner] = await Promise.all(
    [admin, owner].map(({ cookie }) => openStream(server.address, { cookie })),
  )
  await server.app.services.catalogue.prepareStacks()
  await states('installing', 'waiting')
  const body = { name: 'too-early', applicationId: application.id, ...choice, stack: await other() }
  await expect(owner.client.call('instance.create', { body })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_stack',
    message: 'Node-RED 4.1 is still being prepared; it can be chosen as soon as it has been started on trial',
  })
  latch.resolve()
  await states('ready', 'ready')
  await owner.client.call('instance.create', { body })
  const heard = await forAdmin!.heard(
    (event) => event.type === 'job' && event.subject === choice.stack && event.job.state === 'done',
  )
  expect(heard).toMatchObject({ job: { title: 'Prepare stack', steps: [{ name: 'Fetch and try Node-RED' }] } })
  expect(forOwner!.events.some((event) => event.type === 'job' && event.subject === choice.stack)).toBe(false)
  forAdmin!.close()
  forOwner!.close()
})

test('the first instance of a new platform waits for its stack instead of being refused', async () => {
  const { server, create, inState, latch, states, script } = await begin()
  await server.app.services.catalogue.prepareStacks()
  await states('installing', 'waiting')
  const { id } = await create()
  expect(script.spec(id)).toBeUndefined()
  latch.resolve()
  await inState(id, 'running')
})

test('one that cannot be had says why, cannot be chosen, and is tried again when somebody wants it or the server starts', async () => {
  const { server, owner, latch, states, script, choice, application } = await begin()
  const reason = 'The npm registry cannot be reached; check the network connection of the server'
  script.failNext('installStack', new DriverError('registry_unreachable', reason))
  latch.resolve()
  await server.app.services.catalogue.prepareStacks()
  await states('failed', 'ready')
  expect((await owner.client.call('stack.get', { params: { stackId: choice.stack } })).meta).toEqual({
    state: 'failed',
    reason,
  })
  const body = { name: 'again', applicationId: application.id, ...choice }
  script.failNext('installStack', new DriverError('registry_unreachable', reason))
  await expect(owner.client.call('instance.create', { body })).rejects.toMatchObject({
    code: 'invalid_stack',
    message: `Node-RED 5.0 could not be prepared, and is being tried again. The reason was: ${reason}`,
  })
  await until(
    async () => script.calls.filter(({ operation }) => operation === 'installStack').length,
    (count) => count === 3,
  )
  await states('failed', 'ready')
  await server.app.services.catalogue.prepareStacks()
  await states('ready', 'ready')
  await owner.client.call('instance.create', { body })
})
