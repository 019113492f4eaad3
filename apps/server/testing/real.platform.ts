import type { Deployment, Instance } from '@app/contract'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../src/config.ts'
import { openDriver } from '../src/drivers.ts'
import { homeWithStacks } from './homes.ts'
import { instanceCalls } from './instances.calls.ts'
import { startServer } from './server.ts'

export type Node = Record<string, unknown>

/** The labels that flows have written with `once`: that of each version, once for every time it acted. */
const actedIn = async (home: string, { id }: { id: string }): Promise<string[]> =>
  (await readFile(join(home, 'instances', id, 'user', 'acted.txt'), 'utf8').catch(() => '')).split('\n').slice(0, -1)

/** A platform with real Node-RED, and what tests of its deployments do over and over. */
export async function openRealPlatform(more: Partial<Config> = {}) {
  const home = await homeWithStacks()
  const server = await startServer({
    config: { home, databaseUrl: '', steadySeconds: 0.5, ...more },
    driver: openDriver,
  })
  const { owner, team } = await server.build.platform()
  const application = await server.build.application(owner, team)
  const calls = instanceCalls(() => ({ server, owner, application }))
  const { raw, settled } = calls
  let serial = 0

  async function choiceOf(nodered: string) {
    const choice = await server.build.choice()
    const { stacks } = await owner.client.call('stack.list', { query: { filter: 'active' } })
    return { ...choice, stack: stacks.find(({ properties }) => properties.nodered === nodered)!.id }
  }

  const last = async ({ id }: { id: string }): Promise<Deployment> =>
    (await owner.client.call('deployment.list', { params: { instanceId: id }, query: {} })).deployments[0]!

  /** Asks for a deployment, and resolves with how it ended. */
  async function ended({ id }: { id: string }, method: string, path: string, body: object): Promise<Deployment> {
    const { status, text } = await raw(method, `/${id}${path}`, body)
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
    // Modules may have to be fetched for it.
    await settled(id, 300_000)
    return last({ id })
  }

  return {
    home,
    server,
    owner,
    team,
    application,
    ...calls,
    choiceOf,
    last,
    ended,
    async make(nodered: string): Promise<Instance> {
      const body = { name: `real-${(serial += 1)}`, applicationId: application.id, ...(await choiceOf(nodered)) }
      return calls.inState((await owner.client.call('instance.create', { body })).id, 'running')
    },
    importTo: (one: { id: string }, flows: object[], extras: object = {}) =>
      ended(one, 'POST', '/import', { flows: JSON.stringify(flows), ...extras }),
    /** As the editor of an instance saves what is deployed in it. What runs stays. */
    async save(one: Instance, flows: object[]): Promise<void> {
      const token = await server.build.instanceToken(one)
      const { status } = await fetch(`${server.address}/storage/${one.id}/flows`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(flows),
      })
      if (status !== 200) throw new Error(`The flows were not saved: ${status}`)
    },
    acted: (one: { id: string }) => actedIn(home, one),
    async close(): Promise<void> {
      // Instances go on without their server.
      for (const id of await server.driver.adopt()) await server.driver.remove(id)
      await server.close()
      await rm(home, { recursive: true, force: true })
    },
    /** The same for one whose server was stopped before. */
    async sweep(): Promise<void> {
      const driver = openDriver(server.config)
      for (const id of await driver.adopt()) await driver.remove(id)
      await driver.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}
export type RealPlatform = Awaited<ReturnType<typeof openRealPlatform>>

/** A node on the tab of `labelled`. */
export const on = (id: string, type: string, more: Node = {}): Node => ({
  id,
  type,
  z: 'tab',
  x: 9,
  y: 9,
  wires: [],
  ...more,
})

/** Flows that answer `/word` with their label, and write it down once when they begin to act. */
export const labelled = (label: string): Node[] => [
  { id: 'tab', type: 'tab', label: 'Oven' },
  on('in', 'http in', { url: '/word', method: 'get', wires: [['say']] }),
  on('say', 'template', { template: label, wires: [['out']] }),
  on('out', 'http response'),
  on('once', 'inject', {
    props: [{ p: 'payload' }],
    payload: label,
    payloadType: 'str',
    once: true,
    onceDelay: 0.1,
    repeat: '',
    wires: [['acted']],
  }),
  on('acted', 'file', { filename: 'acted.txt', filenameType: 'str', appendNewline: true, overwriteFile: 'false' }),
]

/** Beside `labelled`: ends its process a moment after it has begun to act. */
export const ending: Node[] = [
  on('soon', 'inject', { props: [], once: true, onceDelay: 0.2, repeat: '', wires: [['end']] }),
  on('end', 'function', { func: "Promise.reject(new Error('over'))", outputs: 1, wires: [[]] }),
]
