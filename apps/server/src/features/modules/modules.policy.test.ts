import type { Instance } from '@app/contract'
import { expect, test } from 'vitest'
import { openWorkshop, send } from '../../../testing/index.ts'

let serial = 0

const { server, admin, owner, application, inState, read, script, settled } = await openWorkshop()
const choice = await server.build.choice()

type Palette = { allowInstall?: boolean; denyList?: string[] }
const policyOf = (palette: Palette) => ({ palette: { allowInstall: palette.allowInstall !== false, denyList: false } })
const rules = (palette: Palette) => ({ settings: { palette }, policy: policyOf(palette) })
async function templateWith(palette: Palette): Promise<string> {
  const body = { name: `Ruled ${(serial += 1)}`, ...rules(palette) }
  return (await admin.client.call('template.create', { body })).id
}
const change = (templateId: string, palette: Palette) =>
  admin.client.call('template.update', { params: { templateId }, body: rules(palette) })
async function instanceOf(template: string, sourceProject?: { id: string }): Promise<Instance> {
  const body = { name: `ruled-${(serial += 1)}`, applicationId: application.id, ...choice, template }
  const { id } = await owner.client.call('instance.create', {
    body: { ...body, ...(sourceProject && { sourceProject }) },
  })
  return inState(id, 'running')
}
const list = (...modules: [string, string][]) => modules.map(([name, version]) => ({ name, version }))
const save = (instanceId: string, modules: { name: string; version: string }[]) =>
  owner.client.call('instance.update', { params: { instanceId }, body: { settings: { palette: { modules } } } })
const modulesOf = async (id: string) => (await read(id)).settings.palette?.modules ?? []
const refusal = (message: string, field: string) => ({
  status: 400,
  code: 'invalid_request',
  fields: { [field]: message },
})
const denied = (name: string, entry: string) => `${name} must not be installed: the deny list has "${entry}"`
const closed = (name: string) => `${name} must not be installed: the template does not allow further modules`

test.each([
  ['lodash', 'lodash', '4.17.21'],
  ['node-red-contrib-*', 'node-red-contrib-s7', '3.1.3'],
  ['@acme/*', '@acme/oven', '*'],
  ['lodash@<4.17.21', 'lodash', '^4.0.0'],
  ['lodash@4.x', 'lodash', '~4.17.0'],
])(
  'the deny list entry %j refuses %s@%s in the settings, with the module and the rule',
  async (entry, name, version) => {
    const { id } = await instanceOf(await templateWith({ denyList: [entry] }))
    await expect(save(id, list([name, version]))).rejects.toMatchObject(
      refusal(denied(name, entry), 'settings.palette.modules'),
    )
    await save(id, list(['moment', '2.0.0']))
    expect((await modulesOf(id)).map((one) => one.name)).toEqual(['moment'])
  },
)

test('a deny list entry of other versions refuses nothing', async () => {
  const { id } = await instanceOf(await templateWith({ denyList: ['lodash@<4.17.21', 'lo'] }))
  await save(id, list(['lodash', '4.17.21']))
  expect((await modulesOf(id)).map((one) => one.name)).toEqual(['lodash'])
})

test('where the template allows no further modules, settings bring none, and those that are there stay', async () => {
  const template = await templateWith({})
  const { id } = await instanceOf(template)
  await save(id, list(['lodash', '4.17.20']))
  await change(template, { allowInstall: false })
  for (const modules of [list(['lodash', '4.17.20'], ['moment', '2.0.0']), list(['lodash', '4.17.21'])])
    await expect(save(id, modules)).rejects.toMatchObject(
      refusal(closed(modules.at(-1)!.name), 'settings.palette.modules'),
    )
  expect(await modulesOf(id)).toEqual([{ name: 'lodash', version: '4.17.20', local: false, refused: closed('lodash') }])
  await save(id, [])
  expect(await modulesOf(id)).toEqual([])
})

async function told(instance: Instance) {
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  const post = async (path: string, body: object) => {
    expect((await send(server.address, 'POST', path, { headers, body })).status).toBe(200)
    return (await modulesOf(instance.id)).map(({ name }) => name)
  }
  return {
    reports: (module: string) =>
      post(`/logging/${instance.id}/audit`, { event: 'nodes.install', module, version: '1.0.0' }),
    notes: (name: string) =>
      post(`/storage/${instance.id}/settings`, { nodes: { [name]: { name, version: '1.0.0', local: true } } }),
  }
}

test('what an instance says to have installed is not put on its list where a rule refuses it or it is not there', async () => {
  const denying = await told(await instanceOf(await templateWith({ denyList: ['evil-*'] })))
  expect([await denying.reports('evil-pkg'), await denying.notes('evil-pkg')]).toEqual([[], []])
  expect([await denying.reports('good-pkg'), await denying.notes('good-pkg')]).toEqual([['good-pkg'], ['good-pkg']])
  const closing = await told(await instanceOf(await templateWith({ allowInstall: false })))
  expect([await closing.reports('good-pkg'), await closing.notes('good-pkg')]).toEqual([[], []])
  script().haveModules({ 'there-pkg': '1.0.0' })
  const open = await told(await instanceOf(await templateWith({})))
  expect([await open.reports('claimed-pkg'), await open.notes('claimed-pkg')]).toEqual([[], []])
  expect(await open.reports('there-pkg')).toEqual(['there-pkg'])
})

test('a copy, a push, a snapshot and a target of devices bring no module that is refused where it goes', async () => {
  const [open, template] = [await templateWith({}), await templateWith({})]
  const source = await instanceOf(open)
  await save(source.id, list(['lodash', '4.17.20']))
  const target = await instanceOf(template)
  await save(target.id, list(['lodash', '4.17.20']))
  const params = { instanceId: target.id }
  const { id: snapshot } = await owner.client.call('snapshot.create', { params, body: { name: 'With lodash' } })
  await save(target.id, [])
  await change(template, { denyList: ['lodash'] })
  const sentence = denied('lodash', 'lodash')
  await expect(instanceOf(template, { id: source.id })).rejects.toMatchObject(refusal(sentence, 'sourceProject'))
  const push = { sourceProject: { id: source.id } }
  await expect(owner.client.call('instance.update', { params, body: push })).rejects.toMatchObject(
    refusal(sentence, 'modules'),
  )
  await expect(owner.client.call('deployment.rollback', { params, body: { snapshot } })).rejects.toMatchObject(
    refusal(sentence, 'modules'),
  )
  await expect(
    owner.client.call('device.setTarget', { params, body: { targetSnapshot: snapshot } }),
  ).rejects.toMatchObject(refusal(sentence, 'targetSnapshot'))
  expect([(await settled(target.id)).length > 0, await modulesOf(target.id)]).toEqual([true, []])
})
