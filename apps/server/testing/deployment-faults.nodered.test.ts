import type { Deployment, Instance } from '@app/contract'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faults } from './deployment.faults.ts'
import { until } from './index.ts'
import { labelled, type Node, openRealPlatform, type RealPlatform } from './real.platform.ts'

/*
 * Each fault that flows can have, by each way in which they come to an instance. A pair is tried on one of the two versions
 * of Node-RED, so that each fault and each way is on both; `FORGE_TEST_FAULTS=all` tries all of them on both.
 */
const versions = ['4.1.15', '5.0.7'] as const
const all = process.env.FORGE_TEST_FAULTS === 'all'
const taken = createServer()
let platform: RealPlatform

beforeAll(async () => {
  await new Promise<void>((resolve) => taken.listen(0, resolve))
  platform = await openRealPlatform()
})
afterAll(async () => {
  taken.close()
  await platform.close()
})

/** The subject of a deployment: the instance, the flows it serves, and another instance to push from. */
interface Scene {
  one: Instance
  dev: Instance
  /** By the name of a fault. */
  kept: Record<string, string>
}
interface Brings {
  name: string
  flows: Node[]
  extras: object
}
type Way = (scene: Scene, brings: Brings) => Promise<Deployment>

const options = { flows: true, credentials: true, nodes: true, envVars: 'keys' }
const ways: Record<string, Way> = {
  import: ({ one }, { flows, extras }) => platform.importTo(one, flows, extras),
  async push({ one, dev }, { flows, extras }) {
    await platform.save(dev, flows)
    return platform.ended(one, 'PUT', '', { sourceProject: { id: dev.id, options, ...extras } })
  },
  async rollback({ one }, { flows, extras }) {
    const params = { instanceId: one.id }
    const body = { name: 'Brought', flows }
    const { id: snapshot } = await platform.owner.client.call('snapshot.create', { params, body })
    return platform.ended(one, 'POST', '/actions/rollback', { snapshot, ...extras })
  },
  restore: ({ one, kept }, { name, extras }) => platform.ended(one, 'POST', `/versions/${kept[name]}/restore`, extras),
}

const portTaken = () => (taken.address() as AddressInfo).port
const labelOf = (way: string, name: string) => `${way}-${Object.keys(faults).indexOf(name)}`

/** Makes each fault a version of an instance that does not run. */
async function versionsOf(one: Instance): Promise<Scene['kept']> {
  const params = { instanceId: one.id }
  const kept: Scene['kept'] = {}
  for (const [name, { flows }] of Object.entries(faults)) {
    await platform.save(one, flows(labelOf('restore', name), portTaken()))
    const list = await platform.owner.client.call('version.list', { params })
    kept[name] = list.versions[0]!.id
  }
  return kept
}

const named = ({ faults: found = [] }: Deployment) => found.map(({ kind, node }) => `${kind} ${node?.id}`).toSorted()
const count = (lines: readonly string[], label: string) => lines.filter((line) => line === label).length

describe.each(versions)('on Node-RED %s', (version) => {
  let scene: Scene
  let label = 'first'

  beforeAll(async () => {
    const [one, dev] = [await platform.make(version), await platform.make(version)]
    await Promise.all([one, dev].map(({ id }) => platform.act('suspend', id)))
    await Promise.all([one, dev].map(({ id }) => platform.inState(id, 'suspended')))
    scene = { one, dev, kept: await versionsOf(one) }
    await platform.save(one, labelled(label))
    await platform.act('start', one.id)
    await platform.inState(one.id, 'running')
    await until(
      () => platform.acted(one),
      (lines) => lines.length === 1,
    )
  })

  const pairs = Object.keys(ways).flatMap((way, w) =>
    Object.keys(faults).flatMap((fault, f) =>
      all || versions[(w + f) % 2] === version ? [[way, fault] as const] : [],
    ),
  )
  test.each(pairs)('%s of %s', async (way, name) => {
    const { one } = scene
    const fault = faults[name]!
    const brought = labelOf(way, name)
    const begun = count(await platform.acted(one), label)
    const flows = fault.flows(brought, portTaken())
    await platform.raw('PUT', `/${one.id}`, { onErrors: fault.onErrors ?? 'pass' })

    const deployment = await ways[way]!(scene, { name, flows, extras: fault.extras ?? {} })
    expect([deployment.kind, deployment.state]).toEqual([way, fault.ends])
    expect(deployment.reason ?? '').toMatch(fault.reason ?? /^$/)
    expect(named(deployment)).toEqual(fault.faults?.(brought) ?? [])
    expect(deployment.log?.map(({ msg }) => msg).join('\n') ?? '').toMatch(fault.line ?? /^/)

    const isDone = fault.ends === 'done'
    const serves = isDone ? brought : label
    expect((await platform.visit(one.name, '/word')).text).toBe(serves)
    // Flows that were started again have sent what they send once by the time that a request comes back.
    await expect.poll(async () => count(await platform.acted(one), label) - begun).toBe(fault.acts.before - 1)
    await expect.poll(async () => count(await platform.acted(one), brought)).toBe(fault.acts.brought)
    if (isDone) label = brought
  })
})
