import type { Instance } from '@app/contract'
import { DriverError } from '@app/drivers'
import { beforeEach, expect, test } from 'vitest'
import { openWorkshop, send } from '../../../testing/index.ts'

const { server, admin, owner, application, inState, running, raw, read, script, settled } = await openWorkshop()

/** The modules in the folders of all instances. */
beforeEach(() => script().haveModules({ nanoid: '3.3.20', ms: '2.1.3' }))

const options = { flows: true, credentials: true, nodes: true, template: false, settings: false, envVars: 'keys' }
/** Flows with a function that uses these modules. */
const using = (...modules: string[]) => [
  { id: 'tab', type: 'tab', label: 'Oven' },
  {
    id: 'mint',
    type: 'function',
    z: 'tab',
    name: 'mint',
    func: 'return msg',
    libs: modules.map((module, at) => ({ var: `lib${at}`, module })),
  },
]
async function deploy(instance: Instance, flows: object[]): Promise<void> {
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  const answer = await send(server.address, 'POST', `/storage/${instance.id}/flows`, { headers, body: flows })
  expect(answer.status).toBe(200)
}
const push = async (source: Instance, target: Instance) => {
  expect((await raw('PUT', `/${target.id}`, { sourceProject: { id: source.id, options } })).status).toBe(200)
  return (await settled(target.id))[0]
}
const bring = async (target: Instance, flows: object[]) =>
  raw('POST', `/${target.id}/import`, { flows: JSON.stringify(flows) })
const modulesOf = async ({ id }: Instance) => (await read(id)).settings.palette?.modules
const preparedFor = ({ id }: Instance) =>
  script().calls.filter((call) => call.operation === 'prepareModules' && call.id === id)
const of = (name: string, version: string) => ({ name, version, local: true, functions: true })

test('a push brings the modules of functions in the versions that the stage has', async () => {
  const [source, target] = [await running(), await running()]
  await deploy(source, using('nanoid@3', 'ms', 'fs', 'node:path'))
  const { difference } = await owner.client
    .call('pipeline.create', { params: { applicationId: application.id }, body: { name: 'Ovens' } })
    .then(async ({ id: pipelineId }) => {
      const stage = await owner.client.call('pipeline.addStage', {
        params: { pipelineId },
        body: { name: 'Dev', instanceId: source.id },
      })
      const body = { name: 'Production', instanceId: target.id }
      await owner.client.call('pipeline.addStage', { params: { pipelineId }, body })
      return owner.client.call('pipeline.changes', { params: { pipelineId, stageId: stage.id } })
    })
  expect(difference.modules).toEqual([
    { name: 'nanoid', new: '3.3.20' },
    { name: 'ms', new: '2.1.3' },
  ])
  expect(await push(source, target)).toMatchObject({ state: 'done' })
  expect(await modulesOf(target)).toEqual([of('nanoid', '3.3.20'), of('ms', '2.1.3')])
  expect(script().spec(target.id)?.modules).toEqual({ nanoid: '3.3.20', ms: '2.1.3' })
})

test('an import fetches the modules of its functions before anything is touched', async () => {
  const instance = await running()
  script().haveModules({})
  script().failNext('prepareModules', new DriverError('module_missing', 'The npm registry has no module named nanoid'))
  const former = script().spec(instance.id)
  expect((await bring(instance, using('nanoid@3'))).status).toBe(200)
  expect((await settled(instance.id))[0]).toMatchObject({ error: 'The npm registry has no module named nanoid' })
  expect([await modulesOf(instance), script().spec(instance.id)]).toEqual([[], former])

  const before = preparedFor(instance).length
  expect((await bring(instance, using('nanoid@3', 'ms'))).status).toBe(200)
  expect((await settled(instance.id))[0]).toMatchObject({ state: 'done' })
  expect(preparedFor(instance).length).toBe(before + 1)
  expect(script().spec(instance.id)?.modules).toEqual({ nanoid: '3', ms: '*' })
})

test('which versions an import found is on the list once it runs', async () => {
  const instance = await running()
  expect((await bring(instance, using('nanoid@2', 'ms'))).status).toBe(200)
  await settled(instance.id)
  // The stub pretends to have installed what it names, whatever was asked for.
  expect(await modulesOf(instance)).toEqual([of('nanoid', '3.3.20'), of('ms', '2.1.3')])
})

test('snapshots and copies have them', async () => {
  const source = await running()
  await deploy(source, using('nanoid@3'))
  const { id, modules } = await owner.client.call('snapshot.create', {
    params: { instanceId: source.id },
    body: { name: 'Good' },
  })
  expect(modules).toEqual({ 'node-red': '5.0.7', nanoid: '3.3.20' })
  await raw('PUT', `/${source.id}`, { settings: { palette: { modules: [] } } })
  await owner.client.call('deployment.rollback', { params: { instanceId: source.id }, body: { snapshot: id } })
  await settled(source.id)
  expect(await modulesOf(source)).toEqual([of('nanoid', '3.3.20')])
})

test('flows whose functions need a module that the template forbids are refused', async () => {
  const settings = { modules: { denyList: ['ms'] } }
  const { id: template } = await admin.client.call('template.create', {
    body: { name: 'Strict', settings, policy: {} },
  })
  const { template: _, ...choice } = await server.build.choice()
  const body = { name: 'strict', applicationId: application.id, ...choice, template }
  const instance = await inState((await owner.client.call('instance.create', { body })).id, 'running')
  const refused = await bring(instance, using('ms'))
  expect([refused.status, refused.json.error]).toEqual([400, 'ms must not be installed: the deny list has "ms"'])
})
