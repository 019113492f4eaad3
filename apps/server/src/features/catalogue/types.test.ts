import { beforeAll, beforeEach, expect, test } from 'vitest'
import { openPlatform, type TestServer, until } from '../../../testing/index.ts'

let choice: Awaited<ReturnType<TestServer['build']['choice']>>
let name: string
let serial = 0
const { server, admin, owner } = await openPlatform()
beforeAll(async () => {
  choice = await server.build.choice()
})
beforeEach(() => void (name = `Type ${(serial += 1)}`))

const create = (body: object) => admin.client.call('instanceType.create', { body: { name, ...body } })
const update = (instanceTypeId: string, body: object) =>
  admin.client.call('instanceType.update', { params: { instanceTypeId }, body })
const remove = (instanceTypeId: string) => admin.client.call('instanceType.delete', { params: { instanceTypeId } })
const list = async (query: object = {}) => admin.client.call('instanceType.list', { query })
const events = async () =>
  server.app.database.read.selectFrom('audit_log').select(['event', 'body']).orderBy('id', 'desc').limit(1).execute()

test('[API-39] [ATYPE-13] [ATYPE-17] a type is made with every field, or with those of a new one', async () => {
  const properties = { billingProductId: 'prod_1', billingPriceId: 'price_1', billingDescription: '$10/month' }
  const given = { active: false, description: '**Big**', order: 7, properties }
  const type = await create(given)
  expect(type).toEqual({
    id: type.id,
    name,
    ...given,
    defaultStack: null,
    driver: null,
    createdAt: expect.any(String),
    instanceCount: 0,
    stackCount: 0,
  })
  expect(await admin.client.call('instanceType.get', { params: { instanceTypeId: type.id } })).toEqual(type)
  expect(await events()).toMatchObject([{ event: 'platform.project-type.created' }])
  name = 'Plain'
  expect(await create({})).toMatchObject({ active: true, order: 1, description: '', properties: {} })
})

test('[ATYPE-08] a name that is taken is refused on its field, also when it is given to another type', async () => {
  await create({})
  const taken = { status: 409, code: 'invalid_name', fields: { name: 'The name must be unique' } }
  await expect(create({})).rejects.toMatchObject(taken)
  const first = name
  name = 'Another'
  await expect(update((await create({})).id, { name: first })).rejects.toMatchObject(taken)
})

test.each([
  [{ name: '' }, 'name'],
  [{ name: ' ' }, 'name'],
  [{ name: 'x'.repeat(81) }, 'name'],
  [{ order: '1' }, 'order'],
  [{ order: 1.5 }, 'order'],
  [{ description: 'x'.repeat(10_001) }, 'description'],
  [{ description: 'a\0b' }, 'description'],
  [{ active: 'yes' }, 'active'],
])('[ATYPE-07] [ATYPE-09] %j is refused', async (body, field) => {
  await expect(create(body)).rejects.toMatchObject({ status: 400, fields: { [field]: expect.any(String) } })
})

test('two types share a product of the payment provider only at the same price', async () => {
  const properties = { billingProductId: 'prod_shared', billingPriceId: 'price_one', billingDescription: '$1/month' }
  await create({ name: 'Shared one', properties })
  const { id } = await create({ name: 'Shared two', properties })
  const other = { ...properties, billingPriceId: 'price_two' }
  const refused = { status: 400, fields: { properties: expect.stringContaining('Shared one') as string } }
  await expect(update(id, { properties: other })).rejects.toMatchObject(refused)
  await expect(create({ name: 'Shared three', properties: other })).rejects.toMatchObject({ status: 400 })
  expect(await update(id, { properties: { ...other, billingProductId: 'prod_own' } })).toMatchObject({ id })
})

test('[API-40] [ATYPE-12] billing changes while nothing is of the type, and is refused after', async () => {
  const { id } = await create({ properties: { billingDescription: '$1/month' } })
  const changed = { name: `${name} again`, description: 'New', order: 3, active: false }
  expect(await update(id, changed)).toMatchObject({ ...changed, properties: { billingDescription: '$1/month' } })
  const [entry] = await events()
  expect(entry!.event).toBe('platform.project-type.updated')
  expect((JSON.parse(entry!.body) as { updates: object[] }).updates).toEqual([
    { key: 'name', old: name, new: changed.name, dif: 'updated' },
    { key: 'description', old: '', new: 'New', dif: 'updated' },
    { key: 'active', old: true, new: false, dif: 'updated' },
    { key: 'order', old: 1, new: 3, dif: 'updated' },
  ])
  const properties = { billingDescription: '$2/month' }
  expect(await update(id, { properties })).toMatchObject({ properties })
  const [billing] = await events()
  expect((JSON.parse(billing!.body) as { updates: object[] }).updates).toEqual([
    { key: 'properties.billingDescription', old: '$1/month', new: '$2/month', dif: 'updated' },
  ])
  const application = await server.build.application(owner, await server.build.team(owner))
  await server.build.instance(owner, application)
  await expect(update(choice.projectType, { properties })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_request',
    fields: { properties: expect.any(String) },
  })
})

test('the default is an active stack of the type; one without a type gets this one', async () => {
  const { id } = await create({})
  for (const defaultStack of [choice.stack, 'none'])
    await expect(update(id, { defaultStack })).rejects.toMatchObject({ status: 400, code: 'invalid_stack' })
  const properties = { nodered: '5.0.7', memory: 256 }
  const stack = await admin.client.call('stack.create', { body: { name: `of-${id}`, projectType: id, properties } })
  expect(await update(id, { defaultStack: stack.id })).toMatchObject({ defaultStack: stack.id, stackCount: 1 })
  await remove(id)
  name = 'Heir'
  const heir = await create({ defaultStack: stack.id })
  expect(heir).toMatchObject({ defaultStack: stack.id, stackCount: 1 })
  expect(await update(heir.id, { defaultStack: null })).toMatchObject({ defaultStack: null })
})

test('a type may name a driver that the server has, or none', async () => {
  const type = await create({ driver: 'local' })
  expect(type).toMatchObject({ driver: 'local' })
  expect(await update(type.id, { description: 'Small' })).toMatchObject({ driver: 'local' })
  const lacks = 'This server does not have the driver docker'
  const refused = { status: 400, code: 'invalid_request', fields: { driver: lacks } }
  await expect(update(type.id, { driver: 'docker' })).rejects.toMatchObject(refused)
  name = 'In Containers'
  await expect(create({ driver: 'docker' })).rejects.toMatchObject(refused)
  expect(await update(type.id, { driver: null })).toMatchObject({ driver: null })
  const [{ body } = { body: '' }] = await events()
  expect(JSON.parse(body)).toMatchObject({ updates: [{ key: 'driver', old: 'local' }] })
})

test('[API-41] [ATYPE-14] a type is deleted unless instances are of it; its stacks stay without one', async () => {
  const { id } = await create({})
  const body = { name: `stack-of-${id}`, projectType: id, properties: { nodered: '5.0.7', memory: 256 } }
  const stack = await admin.client.call('stack.create', { body })
  expect(await remove(id)).toEqual({ status: 'okay' })
  expect(await events()).toMatchObject([{ event: 'platform.project-type.deleted' }])
  await expect(remove(id)).rejects.toMatchObject({ status: 404 })
  await expect(update(id, {})).rejects.toMatchObject({ status: 404 })
  expect(await admin.client.call('stack.get', { params: { stackId: stack.id } })).not.toHaveProperty('projectType')
  await server.build.instance(owner, await server.build.application(owner, await server.build.team(owner)))
  await expect(remove(choice.projectType)).rejects.toMatchObject({
    status: 400,
    code: 'invalid_request',
    message: 'You cannot delete an instance type that is still being used by instances.',
  })
})

test('[ATYPE-15] an inactive type is offered to nobody, and keeps the instances that are of it', async () => {
  const application = await server.build.application(owner, await server.build.team(owner))
  const instance = await server.build.instance(owner, application)
  const { stacks } = await admin.client.call('stack.list')
  const other = stacks.find((one) => one.projectType === choice.projectType && one.id !== instance.stack.id)!
  await update(choice.projectType, { active: false })
  try {
    const offered = (await owner.client.call('instanceType.list')).types.map(({ id }) => id)
    expect(offered).not.toContain(choice.projectType)
    await expect(server.build.instance(owner, application)).rejects.toMatchObject({ code: 'invalid_project_type' })
    const params = { instanceId: instance.id }
    const inState = async (state: string) =>
      until(
        () => owner.client.call('instance.get', { params }),
        ({ meta }) => meta.state === state,
      )
    await inState('running')
    await owner.client.call('instance.suspend', { params })
    await inState('suspended')
    // It moves within its type.
    await owner.client.call('instance.update', { params, body: { stack: other.id } })
    await until(
      () => owner.client.call('instance.get', { params }),
      ({ stack }) => stack.id === other.id,
    )
  } finally {
    await update(choice.projectType, { active: true })
  }
})

test('[API-38] [API-64] of types the active ones are listed, the inactive ones or all, as asked', async () => {
  const put = (await create({ active: false })).id
  const on = (await create({ name: `${name} on` })).id
  const listed = async (query: object) => (await list(query)).types.map(({ id }) => id)
  for (const [query, expected] of [
    [{}, [false, true]],
    [{ filter: 'active' }, [false, true]],
    [{ filter: 'inactive' }, [true, false]],
    [{ filter: 'all' }, [true, true]],
  ] as const) {
    const ids = await listed(query)
    expect([query, ids.includes(put), ids.includes(on)]).toEqual([query, ...expected])
  }
})

test('[ATYPE-16] [API-38] types come by order, then name, page by page, and only administrators learn how much they are used', async () => {
  for (const [order, letter] of [
    [102, 'c'],
    [101, 'b'],
    [101, 'a'],
  ] as const)
    await admin.client.call('instanceType.create', { body: { name: `sorted-${letter}`, order } })
  const all = await list({ filter: 'all' })
  const sorted = all.types.map((type) => type.name).filter((one) => one.startsWith('sorted-'))
  expect(sorted).toEqual(['sorted-a', 'sorted-b', 'sorted-c'])
  const first = await list({ filter: 'all', limit: 2 })
  const second = await list({ filter: 'all', limit: 2, cursor: first.meta.next_cursor })
  expect([...first.types, ...second.types]).toEqual(all.types.slice(0, 4))
  expect(first.count).toBe(all.count)
  expect(
    all.types.every(({ instanceCount, stackCount }) => instanceCount !== undefined && stackCount !== undefined),
  ).toBe(true)
  const seen = (await owner.client.call('instanceType.list')).types[0]
  expect(seen).not.toHaveProperty('instanceCount')
  expect(seen).not.toHaveProperty('stackCount')
})

test('[PERM-18] [PERM-70] everybody reads types, only administrators make, change and delete them', async () => {
  const { client } = owner
  const params = { instanceTypeId: choice.projectType }
  expect((await client.call('instanceType.list')).types.map(({ id }) => id)).toContain(choice.projectType)
  expect((await client.call('instanceType.get', { params })).id).toBe(choice.projectType)
  const refused = { status: 403 }
  await expect(client.call('instanceType.create', { body: { name } })).rejects.toMatchObject(refused)
  await expect(client.call('instanceType.update', { params, body: { name } })).rejects.toMatchObject(refused)
  await expect(client.call('instanceType.delete', { params })).rejects.toMatchObject(refused)
})
