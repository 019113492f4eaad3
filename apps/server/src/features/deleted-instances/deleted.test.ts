import { intervals, roles } from '@app/contract'
import { expect, onTestFinished, test } from 'vitest'
import { openWorkshop, send, testClock, type TestUser, until } from '../../../testing/index.ts'

const clock = testClock()
const { server, owner, team, application, act, create, inState, log, raw, read, running, script, visit } =
  await openWorkshop({ clock })

const call = (method: string, path: string, body?: unknown, who: TestUser = owner) =>
  send(server.address, method, `/api/v1/teams/${team.id}${path}`, { headers: { cookie: who.cookie }, body })
const deleted = async () => (await owner.client.call('deleted.list', { params: { teamId: team.id } })).projects
const restore = (id: string, name?: string) =>
  send(server.address, 'POST', `/api/v1/teams/${team.id}/deleted-projects/${id}/restore`, {
    headers: { cookie: owner.cookie },
    body: name === undefined ? {} : { name },
  })
const removeNow = (id: string) => call('DELETE', `/deleted-projects/${id}`)
const remove = async (id: string) => owner.client.call('instance.delete', { params: { instanceId: id } })
const flows = [{ id: 'tab', type: 'tab', label: 'Oven' }]

test('a deleted instance is nowhere but in the list of what can be had back', async () => {
  const { id, name } = await running()
  const count = async () => (await owner.client.call('team.get', { params: { teamId: team.id } })).instanceCount
  const before = await count()
  const token = await server.build.instanceToken(await read(id))
  await remove(id)
  expect((await deleted())[0]).toEqual({
    id,
    name,
    application: { id: application.id, name: application.name },
    deletedAt: expect.any(String) as string,
    until: expect.any(String) as string,
    deletedBy: expect.any(String) as string,
  })
  const first = (await deleted())[0]!
  expect(Date.parse(first.until) - Date.parse(first.deletedAt)).toBe(7 * 24 * 60 * 60_000)

  expect(await count()).toBe(before - 1)
  expect((await visit(name)).status).toBe(404)
  const lists = await Promise.all([
    call('GET', '/projects'),
    call('GET', `/projects?query=${name}`),
    call('GET', '/applications'),
    call('GET', '/applications/status'),
    ...['/instances', '/instances/status'].map((path) =>
      send(server.address, 'GET', `/api/v1/applications/${application.id}${path}`, {
        headers: { cookie: owner.cookie },
      }),
    ),
  ])
  for (const list of lists) expect([list.status, list.text.includes(id)]).toEqual([200, false])
  for (const [method, path, body] of [
    ['GET', ''],
    ['PUT', '', { settings: { env: [] } }],
    ['DELETE', ''],
    ['POST', '/actions/start'],
    ['POST', '/import', { flows: '[]' }],
    ['GET', '/versions'],
    ['GET', '/jobs'],
    ['GET', '/logs'],
    ['GET', '/audit-log'],
  ] as const)
    expect([path, (await raw(method, `/${id}${path}`, body)).status]).toEqual([path, 404])
  const headers = { authorization: `Bearer ${token}` }
  expect((await send(server.address, 'GET', `/storage/${id}/flows`, { headers })).status).toBe(401)
  const copy = { name: 'copy-of-it', applicationId: application.id, ...(await server.build.choice()) }
  expect((await raw('POST', '', { ...copy, sourceProject: { id } })).json.code).toBe('invalid_source_project')
})

test('it comes back with its flows, and starts if it ran', async () => {
  const { id, name } = await running()
  await raw('POST', `/${id}/import`, { flows: JSON.stringify(flows) })
  await inState(id, 'running')
  await remove(id)
  expect((await restore(id)).json).toEqual({ status: 'okay' })
  const back = await inState(id, 'running')
  expect(back.name).toBe(name)
  const headers = { authorization: `Bearer ${await server.build.instanceToken(back)}` }
  expect((await send(server.address, 'GET', `/storage/${id}/flows`, { headers })).json).toEqual(flows)
  expect((await visit(name)).status).toBe(200)
  expect((await log(id)).map(({ event }) => event)).toEqual(
    expect.arrayContaining(['project.deleted', 'project.undeleted', 'project.started']),
  )
  expect((await deleted()).map((one) => one.id)).not.toContain(id)
  // Once more: it is no longer there to be had back.
  expect((await restore(id)).status).toBe(404)
  expect((await removeNow(id)).status).toBe(404)
})

test('a suspended one comes back suspended', async () => {
  const { id } = await running()
  await act('suspend', id)
  await inState(id, 'suspended')
  await remove(id)
  await restore(id)
  expect((await read(id)).meta.state).toBe('suspended')
})

test('its name is free again; when it is taken it comes back under another', async () => {
  const { id, name } = await running()
  await remove(id)
  await create(name.toUpperCase())
  const taken = await restore(id)
  expect([taken.status, taken.json.code, taken.json.fields]).toEqual([
    409,
    'invalid_project_name',
    { name: 'The name is already in use' },
  ])
  for (const bad of ['www', '1st', 'a b', '']) expect([bad, (await restore(id, bad)).status]).toEqual([bad, 409])
  expect((await deleted()).map((one) => one.id)).toContain(id)
  expect((await restore(id, `${name}-old`)).status).toBe(200)
  expect((await inState(id, 'running')).name).toBe(`${name}-old`)
  expect((await visit(`${name}-old`)).status).toBe(200)
})

test('one of many restores at once brings it back; what is being removed cannot be had back', async () => {
  const { id } = await running()
  await remove(id)
  const restores = await Promise.all(Array.from({ length: 5 }, () => restore(id)))
  expect(restores.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(restores.every(({ status }) => [200, 404, 409].includes(status))).toBe(true)
  await inState(id, 'running')
  await remove(id)
  const removals = await Promise.all(Array.from({ length: 5 }, () => removeNow(id)))
  expect(removals.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(removals.every(({ status }) => [200, 404, 409].includes(status))).toBe(true)
  expect((await restore(id)).status).toBe(404)
  expect(script().calls.filter((one) => one.operation === 'remove' && one.id === id)).toHaveLength(1)
})

test('an instance that is being removed is neither restored nor removed again, and the answer says when to ask again', async () => {
  const { id } = await running()
  await remove(id)
  const driverRemove = server.driver.remove.bind(server.driver)
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  onTestFinished(() => void (server.driver.remove = driverRemove))
  server.driver.remove = async (...input) => {
    reached.resolve()
    await goOn.promise
    return driverRemove(...input)
  }
  const removing = removeNow(id)
  await reached.promise
  const refused = [await restore(id), await removeNow(id)]
  goOn.resolve()
  expect(refused.map(({ status, json, headers }) => [status, json.code, headers.get('retry-after')])).toEqual([
    [409, 'invalid_state', '5'],
    [409, 'invalid_state', '5'],
  ])
  expect((await removing).status).toBe(200)
})

test('only owners see and do any of it, and only in their team', async () => {
  const { id } = await running()
  await remove(id)
  const status = async (who: TestUser) => [
    (await call('GET', '/deleted-projects', undefined, who)).status,
    (await call('POST', `/deleted-projects/${id}/restore`, {}, who)).status,
    (await call('DELETE', `/deleted-projects/${id}`, undefined, who)).status,
  ]
  for (const role of [roles.member, roles.viewer, roles.dashboard])
    expect(await status(await server.build.member(team, role))).toEqual([403, 403, 403])
  expect(await status(await server.build.user())).toEqual([404, 404, 404])
  const stranger = await server.build.user()
  const other = await server.build.team(stranger)
  const path = `/api/v1/teams/${other.id}/deleted-projects/${id}`
  const headers = { cookie: stranger.cookie }
  expect((await send(server.address, 'POST', `${path}/restore`, { headers, body: {} })).status).toBe(404)
  expect((await send(server.address, 'DELETE', path, { headers })).status).toBe(404)
  // Instances that were not deleted are not in the way of this either.
  const { id: alive } = await running()
  expect((await removeNow(alive)).status).toBe(404)
  expect((await read(alive)).meta.state).toBe('running')
})

test('its application may be deleted, comes back with it, and goes for good with the last of them', async () => {
  const another = await server.build.application(owner, team)
  const [kept, dropped] = [
    await server.build.instance(owner, another, 'kept-line'),
    await server.build.instance(owner, another, 'dropped-line'),
  ]
  for (const { id } of [kept, dropped]) {
    await inState(id, 'running')
    await remove(id)
  }
  const path = `/api/v1/applications/${another.id}`
  const ask = (method: string) => send(server.address, method, path, { headers: { cookie: owner.cookie } })
  expect((await ask('DELETE')).status).toBe(200)
  expect([(await ask('GET')).status, (await ask('DELETE')).status]).toEqual([404, 404])
  expect((await call('GET', '/applications')).text).not.toContain(another.id)
  await restore(kept.id)
  await inState(kept.id, 'running')
  expect((await ask('GET')).status).toBe(200)
  expect((await ask('DELETE')).status).toBe(422)
  await remove(kept.id)
  expect((await ask('DELETE')).status).toBe(200)
  for (const { id } of [kept, dropped]) expect((await removeNow(id)).status).toBe(200)
  const rows = server.app.database.read.selectFrom('applications').select('id').where('id', '=', another.id)
  expect(await rows.execute()).toEqual([])
})

test('a team keeps what can be had back until somebody removes it', async () => {
  const mine = await server.build.team(owner)
  const there = await server.build.application(owner, mine)
  const { id } = await server.build.instance(owner, there, 'last-line')
  await inState(id, 'running')
  await remove(id)
  const ask = (method: string, path: string) =>
    send(server.address, method, path, { headers: { cookie: owner.cookie } })
  await ask('DELETE', `/api/v1/applications/${there.id}`)
  const refused = await ask('DELETE', `/api/v1/teams/${mine.id}`)
  expect([refused.status, refused.json.error]).toEqual([
    400,
    'Remove the recently deleted instances of this team permanently first',
  ])
  await ask('DELETE', `/api/v1/teams/${mine.id}/deleted-projects/${id}`)
  expect((await ask('DELETE', `/api/v1/teams/${mine.id}`)).status).toBe(200)
})

test('after seven days, and not before, a job removes it with everything it held', async () => {
  const { id } = await running()
  await raw('POST', `/${id}/import`, { flows: JSON.stringify([{ id: 'only', type: 'tab', label: 'Only here' }]) })
  await inState(id, 'running')
  await remove(id)
  const { read: db } = server.app.database
  const rows = async () =>
    (
      await Promise.all([
        db.selectFrom('instances').select('id').where('id', '=', id).execute(),
        db.selectFrom('instance_storage').select('kind').where('instance_id', '=', id).execute(),
        db.selectFrom('flow_versions').select('id').where('instance_id', '=', id).execute(),
      ])
    ).map((list) => list.length)
  clock.turn(intervals.deletedKept - 60_000)
  await server.app.services.deleted.sweep()
  expect(await rows()).toEqual([1, 1, 1])
  const blobs = () => db.selectFrom('blobs').select('hash').execute()
  const before = (await blobs()).length
  clock.turn(60_000)
  await server.app.services.deleted.sweep()
  await server.app.services.deleted.sweep()
  await until(rows, (counts) => counts.every((count) => count === 0))
  expect((await blobs()).length).toBeLessThan(before)
  expect(script().calls).toContainEqual({ operation: 'remove', id })
  const entries = db.selectFrom('audit_log').selectAll().where('event', '=', 'project.removed')
  expect((await entries.execute()).filter(({ body }) => body.includes(id))).toMatchObject([{ trigger_type: 'system' }])
})
