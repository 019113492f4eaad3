import { DriverError } from '@app/drivers'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createStubDriver, openWorkshop, startServer, until } from '../../../testing/index.ts'

let name: string
let serial = 0
const { server, admin, owner, application, inState } = await openWorkshop()
const choice = await server.build.choice()
beforeEach(() => void (name = `stack-${(serial += 1)}`))

const properties = { nodered: '5.0.7', memory: 256 }
const create = (body: object = {}) =>
  admin.client.call('stack.create', { body: { name, projectType: choice.projectType, properties, ...body } })
const update = (stackId: string, body: object) => admin.client.call('stack.update', { params: { stackId }, body })
const remove = (stackId: string) => admin.client.call('stack.delete', { params: { stackId } })
const get = (stackId: string) => admin.client.call('stack.get', { params: { stackId } })
const lastEvent = async () => {
  const entries = server.app.database.read.selectFrom('audit_log').select(['event', 'body']).orderBy('id', 'desc')
  const { event, body } = await entries.limit(1).executeTakeFirstOrThrow()
  return { event, body: JSON.parse(body) as object }
}

test('[API-43] a stack is made with every field; texts of a form are taken, and an empty Node.js is the platform’s', async () => {
  const stack = await create({
    label: 'Oven',
    active: false,
    properties: { nodered: '4.1.15', memory: '512', nodejs: '' },
  })
  expect(stack).toMatchObject({
    name,
    label: 'Oven',
    active: false,
    projectType: choice.projectType,
    projectTypeName: 'Standard',
    properties: { nodered: '4.1.15', memory: 512 },
    instanceCount: 0,
    createdAt: expect.any(String),
  })
  expect(await lastEvent()).toEqual({ event: 'platform.stack.created', body: { stack: { id: stack.id, name } } })
  expect((await create({ name: `${name}-24`, properties: { ...properties, nodejs: '24.21.0' } })).properties).toEqual({
    ...properties,
    nodejs: '24.21.0',
  })
  const seen = await owner.client.call('stack.get', { params: { stackId: stack.id } })
  expect(seen).not.toHaveProperty('instanceCount')
})

test('[ASTACK-18] a stack in the list has every field, and what replaced it', async () => {
  const first = await create({ label: 'Oven' })
  const second = await create({ name: `${name}-2`, replace: first.id })
  const body = { name: `of-${name}`, applicationId: application.id, ...choice, stack: second.id }
  await owner.client.call('instance.create', { body })
  const { stacks } = await admin.client.call('stack.list', { query: { filter: 'all', query: name } })
  const fields = {
    id: first.id,
    name,
    label: 'Oven',
    active: false,
    projectType: choice.projectType,
    projectTypeName: 'Standard',
    properties,
    instanceCount: 0,
    replacedBy: second.id,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  }
  expect(stacks.find(({ id }) => id === first.id)).toMatchObject(fields)
  const { replacedBy: _no, ...newer } = fields
  expect(stacks.find(({ id }) => id === second.id)).toMatchObject({
    ...newer,
    id: second.id,
    name: `${name}-2`,
    label: '',
    active: true,
    instanceCount: 1,
  })
})

test('[ASTACK-12] a name that is taken is refused on its field', async () => {
  const taken = { status: 409, code: 'invalid_name', fields: { name: expect.any(String) } }
  const { id } = await create()
  await expect(create()).rejects.toMatchObject(taken)
  await create({ name: `${name}-b` })
  await expect(update(id, { name: `${name}-b` })).rejects.toMatchObject(taken)
})

test.each([
  [{ name: 'a b' }, { name: 'Must only contain a-z 0-9 - _ / @ .' }],
  [{ name: 'ä' }, { name: 'Must only contain a-z 0-9 - _ / @ .' }],
  [{ name: '' }, { name: 'Required' }],
  [{ properties: { memory: 256 } }, { 'properties.nodered': expect.any(String) }],
  [{ properties: { nodered: 'latest', memory: 256 } }, { 'properties.nodered': 'An exact version such as 5.0.7' }],
  [{ properties: { nodered: '5.0.7', memory: '' } }, { 'properties.memory': 'A number from 64 to 65536' }],
  [{ properties: { nodered: '5.0.7', memory: '63' } }, { 'properties.memory': 'A number from 64 to 65536' }],
  [{ properties: { nodered: '5.0.7', memory: 65_537 } }, { 'properties.memory': 'A number from 64 to 65536' }],
  [{ properties: { ...properties, nodejs: '24' } }, { 'properties.nodejs': 'An exact version such as 24.21.0' }],
  [{ projectType: 'none' }, { projectType: expect.any(String) }],
  [{ projectType: undefined }, { projectType: expect.any(String) }],
  [{ replace: 'none' }, { replace: expect.any(String) }],
])('[ASTACK-11] [ASTACK-13] [ASTACK-14] %j is refused', async (body, fields) => {
  await expect(create(body)).rejects.toMatchObject({ status: 400, fields })
})

test('[ASTACK-11] a name may have / @ and .', async () => {
  expect(await create({ name: `a/b@1.0-${name}_x` })).toMatchObject({ meta: { state: 'ready' } })
})

test('[ASTACK-08] [API-40] [API-43] [API-64] a new version takes the place of the old one, of those before it, and as the default of the type', async () => {
  const type = await admin.client.call('instanceType.create', { body: { name: `for ${name}` } })
  const projectType = type.id
  const first = await create({ projectType })
  const typeParams = { instanceTypeId: type.id }
  await admin.client.call('instanceType.update', { params: typeParams, body: { defaultStack: first.id } })
  const second = await create({ name: `${name}-2`, projectType, replace: first.id })
  expect(await get(first.id)).toMatchObject({ active: false, replacedBy: second.id })
  expect((await admin.client.call('instanceType.get', { params: typeParams })).defaultStack).toBe(second.id)
  const third = await create({ name: `${name}-3`, projectType, replace: second.id })
  expect(await get(first.id)).toMatchObject({ active: false, replacedBy: third.id })
  const { stacks } = await admin.client.call('stack.list', { query: { filter: `replacedBy:${third.id}` } })
  expect(stacks.map(({ id }) => id)).toEqual([first.id, second.id])

  const again = { status: 400, code: 'invalid_request', fields: { replace: expect.any(String) } }
  await expect(create({ name: `${name}-4`, projectType, replace: first.id })).rejects.toMatchObject(again)
  await expect(create({ name: `${name}-5`, replace: third.id })).rejects.toMatchObject({
    code: 'invalid_request',
    fields: { projectType: expect.any(String) },
  })
  await expect(remove(third.id)).rejects.toMatchObject({
    status: 400,
    message: 'You cannot delete a stack that replaces another one.',
  })
})

test('[ASTACK-09] [ASTACK-10] [API-44] of a stack in use only label and active state change, of any other all but its type', async () => {
  const { id } = await create()
  const other = await admin.client.call('instanceType.create', { body: { name: `other ${name}` } })
  const free = { name: `${name}-renamed`, label: 'Free', active: false, properties: { nodered: '4.1.15', memory: 128 } }
  expect(await update(id, free)).toMatchObject(free)
  expect(await lastEvent()).toMatchObject({
    event: 'platform.stack.updated',
    body: {
      updates: [
        { key: 'name', old: name, new: free.name, dif: 'updated' },
        { key: 'label', old: '', new: 'Free', dif: 'updated' },
        { key: 'active', old: true, new: false, dif: 'updated' },
        { key: 'properties.nodered', old: properties.nodered, new: '4.1.15', dif: 'updated' },
        { key: 'properties.memory', old: properties.memory, new: 128, dif: 'updated' },
      ],
    },
  })
  const ofType = { status: 400, code: 'invalid_request', fields: { projectType: expect.any(String) } }
  await expect(update(id, { projectType: other.id })).rejects.toMatchObject(ofType)

  await server.build.instance(owner, application)
  const used = choice.stack
  const { label, ...before } = await get(used)
  for (const body of [{ name: 'other' }, { properties: { nodered: '5.0.7', memory: 999 } }])
    await expect(update(used, body)).rejects.toMatchObject({
      status: 400,
      code: 'invalid_request',
      fields: { [Object.keys(body)[0]!]: expect.any(String) },
    })
  // Equal values are no change.
  const same = { name: before.name, properties: { memory: '256', nodered: '5.0.7' }, projectType: choice.projectType }
  expect(await update(used, { ...same, label: 'In use' })).toMatchObject({ ...before, label: 'In use' })
  await update(used, { label })
  expect(await update(used, { active: false })).toMatchObject({ ...before, active: false })
  await update(used, { active: true })

  await admin.client.call('instanceType.delete', { params: { instanceTypeId: other.id } })
  const orphan = await admin.client.call('instanceType.create', { body: { name: `orphan ${name}` } })
  const lone = await create({ name: `${name}-lone`, projectType: orphan.id })
  await admin.client.call('instanceType.delete', { params: { instanceTypeId: orphan.id } })
  expect(await update(lone.id, { projectType: choice.projectType })).toMatchObject({ projectType: choice.projectType })
  expect((await lastEvent()).body).toMatchObject({ updates: [{ key: 'projectType', new: choice.projectType }] })
})

test('[ASTACK-07] [API-42] [API-64] [INST-42] an inactive stack is offered to nobody and cannot be chosen', async () => {
  const { id } = await create()
  const listed = async (query: { filter?: 'active' | 'inactive' | 'all' }) =>
    (await owner.client.call('stack.list', { query })).stacks.some((one) => one.id === id)
  const queries = [{ filter: 'active' }, { filter: 'inactive' }, { filter: 'all' }, {}] as const
  expect(await Promise.all(queries.map(listed))).toEqual([true, false, true, true])
  await update(id, { active: false })
  expect(await Promise.all(queries.map(listed))).toEqual([false, true, true, false])
  const body = { name: `on-${name}`, applicationId: application.id, ...choice, stack: id }
  await expect(owner.client.call('instance.create', { body })).rejects.toMatchObject({ code: 'invalid_stack' })
})

test('[ASTACK-08] [API-75] [INST-73] “Update Stack” moves a running instance to the new version, which runs there', async () => {
  const old = await create()
  const body = { name: `moves-${name}`, applicationId: application.id, ...choice, stack: old.id }
  const { id } = await owner.client.call('instance.create', { body })
  await inState(id, 'running')
  const next = await create({ name: `${name}-2`, replace: old.id, properties: { nodered: '4.1.15', memory: 256 } })
  const params = { instanceId: id }
  expect((await owner.client.call('instance.get', { params })).stack.replacedBy).toBe(next.id)
  const before = await owner.client.call('instance.get', { params })
  await owner.client.call('instance.update', { params, body: { stack: next.id } })
  const moved = await until(
    () => owner.client.call('instance.get', { params }),
    ({ meta, stack }) => meta.state === 'running' && stack.id === next.id,
  )
  const { name: sameName, projectType, template, settings } = moved
  expect(before).toMatchObject({ name: sameName, projectType, template, settings })
  expect(moved.stack).not.toHaveProperty('replacedBy')
  expect(moved.stack.properties).toMatchObject({ nodered: '4.1.15' })
})

test('[API-45] [ASTACK-16] a stack is deleted unless instances use it', async () => {
  const { id } = await create()
  const params = { instanceTypeId: choice.projectType }
  expect(await remove(id)).toEqual({ status: 'okay' })
  expect(await lastEvent()).toEqual({ event: 'platform.stack.deleted', body: { stack: { id, name } } })
  await expect(remove(id)).rejects.toMatchObject({ status: 404 })
  await expect(update(id, { label: 'x' })).rejects.toMatchObject({ status: 404 })
  await expect(admin.client.call('stack.prepare', { params: { stackId: id } })).rejects.toMatchObject({ status: 404 })
  await server.build.instance(owner, application)
  await expect(remove(choice.stack)).rejects.toMatchObject({
    status: 400,
    code: 'invalid_request',
    message: 'You cannot delete a stack that is still being used by instances.',
  })
  const defaulted = await create({ name: `${name}-default` })
  await admin.client.call('instanceType.update', { params, body: { defaultStack: defaulted.id } })
  await remove(defaulted.id)
  expect((await admin.client.call('instanceType.get', { params })).defaultStack).toBeNull()
  await admin.client.call('instanceType.update', { params, body: { defaultStack: choice.stack } })
})

test('what a deleted instance needs to be restored is kept as long as it may be restored', async () => {
  const type = (await admin.client.call('instanceType.create', { body: { name: `type-${name}` } })).id
  const stack = await create({ projectType: type })
  const template = (await admin.client.call('template.create', { body: { name: `template-${name}` } })).id
  const body = { name: `gone-${name}`, applicationId: application.id, projectType: type, stack: stack.id, template }
  const { id } = await owner.client.call('instance.create', { body })
  await inState(id, 'running')
  await owner.client.call('instance.delete', { params: { instanceId: id } })
  await until(
    () =>
      owner.client.call('instance.get', { params: { instanceId: id } }).then(
        () => false,
        () => true,
      ),
    (gone) => gone,
  )
  expect((await get(stack.id)).instanceCount).toBe(0)
  for (const [what, attempt] of [
    ['a stack', () => remove(stack.id)],
    ['an instance type', () => admin.client.call('instanceType.delete', { params: { instanceTypeId: type } })],
    ['a template', () => admin.client.call('template.delete', { params: { templateId: template } })],
  ] as const)
    await expect(attempt()).rejects.toMatchObject({
      code: 'invalid_request',
      message: `You cannot delete ${what} that a deleted instance needs to be restored: they can be for 7 days.`,
    })
})

test('[API-42] a text finds stacks by name or label, and what means something in a pattern is only text', async () => {
  await create({ label: 'Zebra 100%' })
  const find = async (query: string) =>
    (await admin.client.call('stack.list', { query: { query, filter: 'all' } })).stacks.map((one) => one.name)
  expect([await find('zEBRA'), await find('100%'), await find(name), await find('z%a')]).toEqual([
    [name],
    [name],
    expect.arrayContaining([name]),
    [],
  ])
})

test('[PERM-17] [PERM-69] everybody reads stacks, only administrators make, change, prepare and delete them', async () => {
  const { client } = owner
  const params = { stackId: choice.stack }
  expect((await client.call('stack.list')).stacks.length).toBeGreaterThan(0)
  expect((await client.call('stack.get', { params })).id).toBe(choice.stack)
  const body = { name, projectType: choice.projectType, properties }
  for (const call of [
    () => client.call('stack.create', { body }),
    () => client.call('stack.update', { params, body: { label: 'x' } }),
    () => client.call('stack.prepare', { params }),
    () => client.call('stack.jobs', { params }),
    () => client.call('stack.delete', { params }),
  ])
    await expect(call()).rejects.toMatchObject({ status: 403 })
})

test('what is saved is fetched and tried; its failure is told and tried again; another version asks for another trial', async () => {
  const stub = createStubDriver()
  stub.script.haveStacks('5.0.7', '4.1.15')
  const own = await startServer({ driver: () => stub })
  onTestFinished(() => own.close())
  const root = (await own.build.platform()).admin
  const { projectType } = await own.build.choice()
  const reason = 'There is no Node-RED 9.9.9'
  stub.script.failNext('installStack', new DriverError('unknown_version', reason))
  const body = { name: 'new', projectType, properties: { nodered: '9.9.9', memory: 256 } }
  const made = await root.client.call('stack.create', { body })
  const params = { stackId: made.id }
  const inState = async (state: string) =>
    until(
      () => root.client.call('stack.get', { params }),
      ({ meta }) => meta.state === state,
    )
  expect((await inState('failed')).meta).toEqual({ state: 'failed', reason })
  const failed = await root.client.call('stack.jobs', { params })
  expect(failed).toMatchObject({ count: 1, jobs: [{ state: 'failed', error: reason, title: 'Prepare stack' }] })
  await root.client.call('stack.prepare', { params })
  await inState('ready')
  const before = stub.script.calls.filter(({ operation }) => operation === 'installStack').length
  expect(await root.client.call('stack.prepare', { params })).toMatchObject({ meta: { state: 'ready' } })
  await root.client.call('stack.update', { params, body: { properties: { nodered: '9.9.10', memory: 256 } } })
  await inState('ready')
  expect(stub.script.calls.filter(({ operation }) => operation === 'installStack').length).toBe(before + 1)
  await root.client.call('stack.update', { params, body: { label: 'Only a label' } })
  expect(stub.script.calls.filter(({ operation }) => operation === 'installStack').length).toBe(before + 1)
})
