import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, pidOf, versions } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

const module = '@flowfuse/nr-project-nodes'
const flows = [
  { id: 'tab', type: 'tab', label: 'Line' },
  {
    id: 'in',
    type: 'project link in',
    z: 'tab',
    x: 9,
    y: 9,
    broadcast: true,
    project: 'all',
    topic: 'news',
    wires: [[]],
  },
]

/** Counts who connects, in the place of a broker. */
async function startCounter() {
  let count = 0
  const server = createServer((socket) => {
    count += 1
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const broker = { url: `mqtt://127.0.0.1:${port}`, username: 'project:team:oven', password: 'ffbp_secret' }
  return { link: { team: 'team', broker }, count: () => count }
}

async function open() {
  const local = await openLocal()
  onTestFinished(() => local.close())
  /** The modules that the editor of a new instance has, with their versions. */
  async function modulesOf(version: string, own: object[] = []) {
    const spec = local.spec(version)
    local.putFlows(spec.id, own)
    await local.driver.start(spec)
    await until('the instance runs', async () => (await local.driver.status(spec.id)).state === 'running')
    const endpoint = local.driver.endpoint(spec.id)!
    const headers = { ...bearer(await signIn(endpoint)), accept: 'application/json' }
    const nodes = JSON.parse((await askInstance(endpoint, '/nodes', { headers })).text) as {
      module: string
      version: string
      types: string[]
      err?: string
    }[]
    return { id: spec.id, nodes }
  }
  return { ...local, modulesOf }
}

test.each(versions)(
  'Node-RED %s has the nodes for messages, and connects only for flows that use them',
  async (version) => {
    const { link, count } = await startCounter()
    const { platform, modulesOf, driver } = await open()
    platform.behaviour.projectLink = link
    const unused = await modulesOf(version)
    expect(unused.nodes.filter((one) => one.module === module)).toEqual([
      expect.objectContaining({
        version: '0.7.8',
        enabled: true,
        types: ['project link in', 'project link out', 'project link call'],
      }),
    ])
    expect(count()).toBe(0)
    const used = await modulesOf(version, flows)
    await until('the node connects', () => count() > 0)
    expect((await driver.flows(used.id))?.state).toBe('started')
  },
)

test('without messages the editor has no nodes for them', async () => {
  const { modulesOf } = await open()
  const { nodes } = await modulesOf(versions[1])
  expect(nodes.filter((one) => one.module === module || one.types.includes('project link in'))).toEqual([])
})

test('nodes that no flow uses take no memory worth mentioning', async () => {
  const { link } = await startCounter()
  const { home, platform, modulesOf } = await open()
  const sizeOf = async (id: string) => {
    const text = await readFile(`/proc/${await pidOf(home, id)}/smaps_rollup`, 'utf8')
    return Number(/^Private_Dirty:\s+(\d+) kB/m.exec(text)![1]) / 1024
  }
  const without = await modulesOf(versions[1])
  platform.behaviour.projectLink = link
  const unused = await modulesOf(versions[1])
  // Memory that only the start needed is given back a few seconds later.
  const more = async () => (await sizeOf(unused.id)) - (await sizeOf(without.id))
  await expect.poll(more, { timeout: 30_000 }).toBeLessThan(2)
})
