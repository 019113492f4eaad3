import { defaultTemplatePolicy, defaultTemplateSettings } from '@app/contract'
import { expect, test } from 'vitest'
import { openServer } from '../../../testing/index.ts'

const server = await openServer()
const user = await server.build.user()
const choice = await server.build.choice()

test('[API-38] instance types, active ones unless asked otherwise', async () => {
  const list = async (filter?: 'active' | 'inactive' | 'all') =>
    user.client.call('instanceType.list', { query: filter ? { filter } : {} })
  const { types, count, meta } = await list()
  expect([meta, count, types]).toEqual([
    {},
    1,
    [await user.client.call('instanceType.get', { params: { instanceTypeId: choice.projectType } })],
  ])
  expect(types[0]).toMatchObject({ id: choice.projectType, defaultStack: choice.stack, active: true, order: 1 })
  expect([(await list('inactive')).count, (await list('all')).count]).toEqual([0, 1])
})

test('[API-42] stacks by type, page by page, with a count of all', async () => {
  const { client } = user
  const first = await client.call('stack.list', { query: { limit: 1 } })
  expect([first.count, first.stacks.map(({ id }) => id), first.meta.next_cursor]).toEqual([
    2,
    [choice.stack],
    choice.stack,
  ])
  const second = await client.call('stack.list', { query: { limit: 1, cursor: first.meta.next_cursor } })
  expect([second.count, second.stacks.length, second.meta]).toEqual([2, 1, {}])
  expect(second.stacks[0]?.properties).toEqual({ nodered: '4.1.15', memory: 256 })
  expect((await client.call('stack.list', { query: { projectType: choice.projectType } })).count).toBe(2)
  expect((await client.call('stack.list', { query: { projectType: 'other' } })).count).toBe(0)
  expect((await client.call('stack.list', { query: { filter: 'inactive' } })).stacks).toEqual([])
  expect(await client.call('stack.get', { params: { stackId: choice.stack } })).toEqual(first.stacks[0])
})

test('[API-58] [API-59] templates, each with settings and policy', async () => {
  const { count, templates } = await user.client.call('template.list')
  expect([count, templates]).toMatchObject([1, [{ id: choice.template, active: true, instanceCount: 0 }]])
  expect(templates[0]).not.toHaveProperty('settings')
  expect(await user.client.call('template.get', { params: { templateId: choice.template } })).toEqual({
    ...templates[0],
    settings: defaultTemplateSettings,
    policy: defaultTemplatePolicy,
  })
  const unknown = user.client.call('template.get', { params: { templateId: 'unknown' } })
  await expect(unknown).rejects.toMatchObject({ status: 404 })
})

test('what does not exist is not found', async () => {
  const { client } = user
  await expect(client.call('instanceType.get', { params: { instanceTypeId: 'no' } })).rejects.toMatchObject({
    status: 404,
  })
  await expect(client.call('stack.get', { params: { stackId: 'no' } })).rejects.toMatchObject({ status: 404 })
  await expect(client.call('template.get', { params: { templateId: 'no' } })).rejects.toMatchObject({ status: 404 })
})
