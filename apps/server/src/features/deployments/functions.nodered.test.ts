import { versionsFor } from '@app/drivers/testing/versions'
import type { Instance } from '@app/contract'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openNodeRedWorkshop, until } from '../../../testing/index.ts'

const deadline = 180_000
const { home, server, owner, application, inState, read, settled, visit } = await openNodeRedWorkshop()

const flowsUsing = (module: string) => [
  { id: 'tab', type: 'tab', label: 'Flow' },
  { id: 'in', z: 'tab', type: 'http in', url: '/id', method: 'get', wires: [['fn']] },
  {
    id: 'fn',
    z: 'tab',
    type: 'function',
    func: 'msg.payload = `${typeof lib.nanoid}`; return msg',
    libs: [{ var: 'lib', module }],
    outputs: 1,
    wires: [['out']],
  },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
]
const options = {
  flows: true,
  credentials: true,
  nodes: true,
  template: false,
  settings: false,
  envVars: 'keys',
} as const

async function stackOf(nodered: string) {
  const choice = await server.build.choice()
  const { stacks } = await owner.client.call('stack.list', { query: {} })
  return { ...choice, stack: stacks.find(({ properties }) => properties.nodered === nodered)!.id }
}
let serial = 0
async function make(nodered: string): Promise<Instance> {
  const body = { name: `fn-${(serial += 1)}`, applicationId: application.id, ...(await stackOf(nodered)) }
  return inState((await owner.client.call('instance.create', { body })).id, 'running')
}
const listOf = async ({ id }: Instance) => (await read(id)).settings.palette?.modules
const answers = ({ name }: Instance) =>
  until(
    () => visit(name, '/id'),
    ({ status }) => status === 200,
  )
const installedBySelf = async ({ id }: Instance) =>
  (await server.driver.logs(id, { limit: 500 })).filter(({ msg }) => /Installing module/.test(msg)).length
const manifest = ({ id }: Instance) =>
  JSON.parse(readFileSync(join(home, 'instances', id, 'user', 'node_modules', 'nanoid', 'package.json'), 'utf8')) as {
    version: string
  }
const push = async (source: Instance, target: Instance) => {
  await owner.client.call('instance.update', {
    params: { instanceId: target.id },
    body: { sourceProject: { id: source.id, options } },
  })
  expect((await settled(target.id))[0]).toMatchObject({ state: 'done' })
}

test.each(versionsFor(import.meta.filename))(
  'on Node-RED %s a module of a function goes from stage to stage in one version, and is fetched before the start',
  { timeout: deadline },
  async (nodered) => {
    const [dev, stag, prod] = [await make(nodered), await make(nodered), await make(nodered)]
    // As the editor has it: Node-RED installs the module itself, in the version that the function names.
    await server.app.database.read
      .insertInto('instance_storage')
      .values({ instance_id: dev.id, kind: 'flows', body: JSON.stringify(flowsUsing('nanoid@3')), updated_at: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await owner.client.call('instance.restart', { params: { instanceId: dev.id } })
    await settled(dev.id)
    expect((await answers(dev)).text).toBe('function')
    expect(await installedBySelf(dev)).toBe(1)
    const { version } = manifest(dev)
    expect(version).toMatch(/^3\./)
    const listed = [{ name: 'nanoid', version, local: true, functions: true }]
    await until(
      () => listOf(dev),
      (list) => JSON.stringify(list) === JSON.stringify(listed),
    )

    await push(dev, stag)
    expect((await answers(stag)).text).toBe('function')
    expect([manifest(stag).version, await listOf(stag), await installedBySelf(stag)]).toEqual([version, listed, 0])
    // Nothing needs the network any more.
    process.env.npm_config_registry = 'http://127.0.0.1:9'
    try {
      await push(stag, prod)
      expect((await answers(prod)).text).toBe('function')
      expect([manifest(prod).version, await listOf(prod), await installedBySelf(prod)]).toEqual([version, listed, 0])
    } finally {
      delete process.env.npm_config_registry
    }
  },
)

test('an import has the modules of its functions fetched, and the versions that were found stay', {
  timeout: deadline,
}, async () => {
  const one = await make('5.0.7')
  await owner.client.call('instance.import', {
    params: { instanceId: one.id },
    body: { flows: JSON.stringify(flowsUsing('nanoid')) },
  })
  expect((await settled(one.id))[0]).toMatchObject({ state: 'done' })
  expect((await answers(one)).text).toBe('function')
  const { version } = manifest(one)
  expect([await listOf(one), await installedBySelf(one)]).toEqual([
    [{ name: 'nanoid', version, local: true, functions: true }],
    0,
  ])
})
