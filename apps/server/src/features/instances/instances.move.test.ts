import { roles } from '@app/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  instanceCalls,
  openStream,
  startServer,
  type TestServer,
  type TestTeam,
  type TestUser,
} from '../../../testing/index.ts'

let server: TestServer
let owner: TestUser
let team: TestTeam
let application: { id: string; name: string }
let other: { id: string; name: string }
const { act, create, inState, log, raw, read, running, script, settled, visit } = instanceCalls(() => ({
  server,
  owner,
  application,
}))

beforeAll(async () => {
  server = await startServer()
  ;({ owner, team } = await server.build.platform())
  application = await server.build.application(owner, team, 'Oven line')
  other = await server.build.application(owner, team, 'Cold store')
})
afterAll(() => server.close())

const move = (instanceId: string, applicationId: string, by = owner) =>
  by.client.call('instance.move', { params: { instanceId }, body: { applicationId } })
const idsIn = async (applicationId: string) =>
  (await owner.client.call('application.instances', { params: { applicationId } })).instances.map(({ id }) => id)
const teamLog = async () =>
  (await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { event: 'project.moved' } })).log

test('[PERM-42] an instance moves to another application as it is: same address, same process, both logs tell it', async () => {
  const before = await running('mixer')
  const calls = script().calls.length
  const stream = await openStream(server.address, { cookie: owner.cookie })
  const answer = await move(before.id, other.id)
  expect(answer.application).toMatchObject({ id: other.id, name: 'Cold store' })
  expect(answer).toMatchObject({ id: before.id, name: 'mixer', url: before.url, meta: before.meta })
  expect(await idsIn(application.id)).not.toContain(before.id)
  expect(await idsIn(other.id)).toContain(before.id)
  expect(script().calls.length).toBe(calls)
  expect((await visit('mixer')).status).toBe(200)
  // Other browsers: the page of the instance, and the lists of both applications.
  const told = await stream.heard((event) => event.type === 'instance' && event.id === before.id)
  expect(told).toMatchObject({ application: other.id, changed: true, state: { meta: { state: 'running' } } })
  await stream.heard((event) => event.type === 'team')
  stream.close()
  const body = {
    project: { id: before.id, name: 'mixer' },
    application: { id: other.id, name: 'Cold store' },
    sourceApplication: { id: application.id, name: 'Oven line' },
  }
  for (const entry of [(await log(before.id))[0], (await teamLog())[0]])
    expect(entry).toMatchObject({ event: 'project.moved', trigger: { id: owner.id }, body })
})

test('to where it is already it moves without a trace', async () => {
  const { id } = await running()
  const entries = (await log(id)).length
  expect((await move(id, application.id)).application.id).toBe(application.id)
  expect(await log(id)).toHaveLength(entries)
})

test('[PERM-42] who may not is refused, and to another team, to an unknown application or as a stranger there is nothing', async () => {
  const { id } = await running()
  const [member, admin] = [await server.build.member(team, roles.member), await server.build.user({ admin: true })]
  await expect(move(id, other.id, member)).rejects.toMatchObject({ status: 403 })
  const stranger = await server.build.user()
  const theirs = await server.build.application(stranger, await server.build.team(stranger))
  await expect(move(id, other.id, stranger)).rejects.toMatchObject({ status: 404, code: 'not_found' })
  for (const wrong of [theirs.id, 'nothing']) {
    await expect(move(id, wrong)).rejects.toMatchObject({ status: 404, code: 'not_found' })
    // An administrator may enter both teams, and yet nothing crosses from one to the other.
    await expect(move(id, wrong, admin)).rejects.toMatchObject({ status: 404 })
  }
  expect((await raw('PUT', `/${id}/application`, {})).json).toMatchObject({ code: 'invalid_request', statusCode: 400 })
  expect((await read(id)).application.id).toBe(application.id)
  expect((await log(id)).map(({ event }) => event)).not.toContain('project.moved')
})

test('an operation under way goes on, and so does the sleep of what is suspended', async () => {
  script().holdStarts()
  const { id } = await create()
  expect((await move(id, other.id)).meta.state).toBe('starting')
  script().release()
  await inState(id, 'running')
  await act('suspend', id)
  await inState(id, 'suspended')
  expect(await move(id, application.id)).toMatchObject({ meta: { state: 'suspended' } })
  expect((await settled(id)).map(({ state }) => state)).toEqual(['done', 'done'])
})

test('when its new application is deleted at the same time, it is in one that exists', async () => {
  const { id } = await running()
  for (let round = 0; round < 5; round++) {
    const doomed = await server.build.application(owner, team)
    const params = { applicationId: doomed.id }
    const results = await Promise.allSettled([move(id, doomed.id), owner.client.call('application.delete', { params })])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const lost = results.find((result) => result.status === 'rejected')!.reason as { code: string }
    expect(['not_found', 'invalid_application']).toContain(lost.code)
    const { application: now } = await read(id)
    expect(await idsIn(now.id)).toContain(id)
    await move(id, application.id)
  }
})
