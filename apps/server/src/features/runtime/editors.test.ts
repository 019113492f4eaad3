import type { EnvironmentKind, Instance } from '@app/contract'
import { beforeAll, expect, test } from 'vitest'
import { openWorkshop, send, until } from '../../../testing/index.ts'

let instance: Instance
let token: string

const { server, owner, team, application } = await openWorkshop()
beforeAll(async () => {
  const { id } = await server.build.instance(owner, application, 'oven-line')
  instance = await until(
    () => read(id),
    ({ meta }) => meta.state === 'running',
  )
  token = await server.build.instanceToken(instance)
})

const read = async (id = instance.id) => owner.client.call('instance.get', { params: { instanceId: id } })
const headers = () => ({ authorization: `Bearer ${token}` })
const report = (body: { startedAt: number; users: string[] }) =>
  send(server.address, 'POST', `/api/v1/projects/${instance.id}/editors`, { headers: headers(), body })
const tell = () => send(server.address, 'GET', `/api/v1/projects/${instance.id}/editor`, { headers: headers() })
const startedAt = async () => Date.parse((await read()).meta.lastStartTime!)

test('who has the editor open is known as long as the process runs that reported it, and members only', async () => {
  const stranger = await server.build.user()
  const alice = await server.build.member(team, 30)
  const since = await startedAt()
  expect((await report({ startedAt: since, users: [alice.id, stranger.id, 'nobody'] })).status).toBe(200)
  expect((await read()).meta.editors).toEqual([{ id: alice.id, username: alice.username, name: alice.username }])

  // A report of an earlier process comes late.
  await report({ startedAt: since - 1, users: [] })
  expect((await read()).meta.editors).toHaveLength(1)
  await report({ startedAt: since, users: [] })
  expect((await read()).meta).not.toHaveProperty('editors')

  await report({ startedAt: since, users: [alice.id] })
  await owner.client.call('instance.restart', { params: { instanceId: instance.id } })
  const after = await until(
    () => read(),
    ({ meta }) => meta.state === 'running' && Date.parse(meta.lastStartTime!) !== since,
  )
  expect(after.meta).not.toHaveProperty('editors')
  token = await server.build.instanceToken(instance)
})

test('the editor is told where its instance belongs, and its environment by the stages of pipelines', async () => {
  const place = async () => (await tell()).json
  expect(await place()).toEqual({ application: expect.any(String), team: team.name, environment: null })
  const { id: first } = await server.build.instance(owner, application, 'oven-dev')
  const params = { applicationId: application.id }
  const pipeline = await owner.client.call('pipeline.create', { params, body: { name: 'Ovens' } })
  const add = (name: string, instanceId: string, source?: string) =>
    owner.client.call('pipeline.addStage', {
      params: { pipelineId: pipeline.id },
      body: { name, instanceId, ...(source ? { source } : {}) },
    })
  const { id: source } = await add('Bench', first)
  await add('Hall 4', instance.id, source)
  expect(await place()).toMatchObject({ environment: { kind: 'production', label: 'Hall 4' } })

  const set = (environment: EnvironmentKind | null) =>
    owner.client.call('instance.update', { params: { instanceId: instance.id }, body: { environment } })
  expect(await set('staging')).toMatchObject({ environment: 'staging' })
  expect(await place()).toMatchObject({ environment: { kind: 'staging', label: 'Staging' } })
  expect((await read()).meta).not.toHaveProperty('notInForce')
  await set(null)
  expect(await place()).toMatchObject({ environment: { kind: 'production', label: 'Hall 4' } })
})
