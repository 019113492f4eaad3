import { roles } from '@app/contract'
import { expect, test } from 'vitest'
import { openWorkshop } from '../../../testing/index.ts'

const updated = Date.UTC(2026, 0, 2, 3, 4, 5)
const flows = [
  { id: 'tab', type: 'tab', label: 'Line 4' },
  { id: 'fn', z: 'tab', type: 'function', name: 'Count loaves' },
  { id: 'bare', z: 'tab', type: 'function', name: '' },
]

const { server, owner, team, running, script, raw, act, inState, log } = await openWorkshop()

async function filled() {
  const instance = await running()
  await raw('POST', `/${instance.id}/import`, { flows: JSON.stringify(flows) })
  await inState(instance.id, 'running')
  const sizes: [string, string, number][] = [
    ['fn:tab', 'count', 900],
    ['global', 'shift', 800],
    ['tab', 'oven', 700],
    ['bare:tab', 'last', 600],
    ['gone:tab', 'old', 500],
  ]
  for (const [scope, key, size] of sizes) script().setContext(instance.id, { scope, key, size, updated })
  return { instance, params: { instanceId: instance.id } }
}

test('the keys and sizes of the persistent context are listed with the names of flows and nodes, and no values', async () => {
  const { params } = await filled()
  const viewer = await server.build.member(team, roles.viewer)
  const found = await viewer.client.call('context.get', { params })
  const updatedAt = '2026-01-02T03:04:05.000Z'
  expect(found).toEqual({
    values: [
      { scope: 'fn:tab', kind: 'node', name: 'Count loaves', flow: 'Line 4', key: 'count', size: 900, updatedAt },
      { scope: 'global', kind: 'global', key: 'shift', size: 800, updatedAt },
      { scope: 'tab', kind: 'flow', name: 'Line 4', key: 'oven', size: 700, updatedAt },
      { scope: 'bare:tab', kind: 'node', name: 'function', flow: 'Line 4', key: 'last', size: 600, updatedAt },
      { scope: 'gone:tab', kind: 'node', flow: 'Line 4', key: 'old', size: 500, updatedAt },
    ],
    count: 5,
    size: 3500,
    limit: 16_000_000,
  })
})

test('one key, a scope or everything is deleted by who may change flows, and the audit log says what', async () => {
  const { instance, params } = await filled()
  const member = await server.build.member(team, roles.member)
  const viewer = await server.build.member(team, roles.viewer)
  const remove = (query: { scope?: string; key?: string }, by = member) =>
    by.client.call('context.delete', { params, query })
  await expect(remove({}, viewer)).rejects.toMatchObject({ status: 403 })
  await expect(remove({ key: 'shift' })).rejects.toMatchObject({ status: 400, code: 'invalid_request' })
  expect(await remove({ scope: 'global', key: 'none' })).toEqual({ deleted: 0 })
  expect(await remove({ scope: 'global', key: 'shift' })).toEqual({ deleted: 1 })
  expect(await remove({ scope: 'tab' })).toEqual({ deleted: 1 })
  expect(await remove({})).toEqual({ deleted: 3 })
  expect(await member.client.call('context.get', { params })).toMatchObject({ values: [], count: 0, size: 0 })
  const said = (await log(instance.id)).filter(({ event }) => event === 'project.context.deleted')
  expect(said.map(({ body }) => body.info)).toEqual([
    { deleted: 3 },
    { scope: 'tab', deleted: 1 },
    { scope: 'global', key: 'shift', deleted: 1 },
  ])
  expect(said[0]).toMatchObject({ trigger: { id: member.id } })
})

test('an instance that does not run is to be started first', async () => {
  const { instance, params } = await filled()
  await act('stop', instance.id)
  await inState(instance.id, 'stopped')
  for (const call of [
    () => owner.client.call('context.get', { params }),
    () => owner.client.call('context.delete', { params, query: {} }),
  ])
    await expect(call()).rejects.toMatchObject({ status: 503, code: 'connection_refused' })
  await act('suspend', instance.id)
  await inState(instance.id, 'suspended')
  await expect(owner.client.call('context.get', { params })).rejects.toMatchObject({ code: 'project_suspended' })
})
