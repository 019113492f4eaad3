import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { codeFlow } from '../../testing/flows.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { runs } from '../../testing/local.harness.ts'
import { ensureSwarm, freeze, type Machine, machines, manager, on, openSwarm } from '../../testing/swarm.harness.ts'
import { until } from '../../testing/until.ts'

ensureSwarm()

/** The id that the swarm gave the second machine; a test says so where there is none. */
async function secondOf(context: TestContext): Promise<{ worker: Machine; node: string } | undefined> {
  const [, worker] = machines
  if (worker) return { worker, node: on(worker, 'info', '--format', '{{.Swarm.NodeID}}').trim() }
  await context.annotate('Left out: there is one machine. `npm run swarm` says how to have two.')
  return undefined
}

const stateOf = (node: string) => on(manager, 'node', 'inspect', '--format', '{{.Status.State}}', node).trim()

/** A driver whose instances start on the second machine, and one over the same home for any machine. */
async function begin(node: string) {
  const there = await openSwarm({ constraints: [`node.id == ${node}`] })
  onTestFinished(() => there.close())
  const one = there.spec()
  there.putFlows(one.id, codeFlow('msg.payload = String(process.pid); return msg'))
  await there.driver.start(one)
  await runs(there.driver, one.id)
  return { ...there, one }
}

test('an instance whose machine is drained ends there with this reason, and starts on another', async (context) => {
  const second = await secondOf(context)
  if (!second) return
  const { worker, node } = second
  const { driver, one, containerOf, open } = await begin(node)
  expect((await containerOf(one.id)).machine).toEqual(worker)
  on(manager, 'node', 'update', '--availability', 'drain', node)
  onTestFinished(() => void on(manager, 'node', 'update', '--availability', 'active', node))
  const { reason } = await until('it has ended', async () => {
    const status = await driver.status(one.id)
    return status.state === 'crashed' && status
  })
  expect(reason).toMatch(/^The machine \S+ was drained/)
  await driver.close()
  const anywhere = open({ constraints: [] })
  await anywhere.start({ ...one, again: true })
  await runs(anywhere, one.id)
  expect((await containerOf(one.id)).machine).toEqual(manager)
})

test('an instance whose machine is lost is told of with its reason and starts on another; one that comes back is ended', {
  timeout: 180_000,
}, async (context) => {
  const second = await secondOf(context)
  if (!second) return
  const { worker, node } = second
  const { driver, one, containerOf, open } = await begin(node)
  const { container } = await containerOf(one.id)
  const { thaw } = freeze(worker, container)
  let isFrozen = true
  const comeBack = () => {
    if (isFrozen) thaw()
    isFrozen = false
  }
  onTestFinished(comeBack)
  const { reason } = await until(
    'it is told of',
    async () => {
      const status = await driver.status(one.id)
      return status.state === 'crashed' && status
    },
    90_000,
  )
  expect(reason).toMatch(/^The machine \S+ does not answer: Swarm counts it as down/)
  await driver.close()
  const anywhere = open({ constraints: [] })
  await anywhere.start({ ...one, again: true })
  await runs(anywhere, one.id)
  expect((await askInstance(anywhere.endpoint(one.id)!, '/')).status).toBe(200)
  comeBack()
  await until('the machine is back', () => stateOf(node) === 'ready', 60_000)
  await until('what it ran is ended', () => !on(worker, 'ps', '--quiet', '--no-trunc').includes(container), 60_000)
  expect((await anywhere.status(one.id)).state).toBe('running')
})

test('an instance that answers goes on, whatever the swarm knows of its machine, and is not started a second time', {
  timeout: 180_000,
}, async (context) => {
  const second = await secondOf(context)
  if (!second) return
  const { worker, node } = second
  const { driver, one } = await begin(node)
  const { thaw } = freeze(worker, undefined)
  onTestFinished(thaw)
  await until('the swarm counts the machine as down', () => stateOf(node) === 'down', 90_000)
  await driver.start(one)
  expect((await driver.status(one.id)).state).toBe('running')
  expect((await askInstance(driver.endpoint(one.id)!, '/')).status).toBe(200)
  expect(on(manager, 'ps', '--quiet', '--filter', `label=flowforge.process=${one.id}`)).toBe('')
})
