import type { Instance, Pipeline, TeamRole } from '@app/contract'
import { roles } from '@app/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { instanceCalls, openWorkshop, send, startServer, switchesWithout } from '../../../testing/index.ts'

let line: Instance[]
const { server, owner, team, application } = await openWorkshop()
beforeAll(async () => {
  line = await Promise.all(['dev', 'staging', 'production', 'spare'].map(async (name) => create(name)))
})

const { create, settled } = instanceCalls(() => ({ server, owner, application }))

const list = async (): Promise<Pipeline[]> =>
  (await owner.client.call('pipeline.list', { params: { applicationId: application.id } })).pipelines
const make = async (name = 'Ovens') =>
  owner.client.call('pipeline.create', { params: { applicationId: application.id }, body: { name } })
const add = async (pipelineId: string, name: string, instance: { id: string }, source?: string) =>
  owner.client.call('pipeline.addStage', {
    params: { pipelineId },
    body: { name, instanceId: instance.id, ...(source === undefined ? {} : { source }) },
  })
const read = async (id: string) => (await list()).find((one) => one.id === id)!
/** The names of the stages in the order in which each names the next. */
function chain({ stages }: Pipeline): string[] {
  const nexts = new Set(stages.map(({ NextStageId }) => NextStageId))
  const names: string[] = []
  let one = stages.find(({ id }) => !nexts.has(id))
  while (one) {
    names.push(one.name)
    const next = one.NextStageId
    one = stages.find(({ id }) => id === next)
  }
  return names
}
const raw = async (method: string, path: string, body?: unknown, user = owner) =>
  send(server.address, method, `/api/v1${path}`, { headers: { cookie: user.cookie }, body })
/** The last entry of the log of the team. */
const lastEntry = async () =>
  (await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { limit: 1 } })).log[0]

describe('a pipeline', () => {
  test('[API-99] [PIPE-21] is made with a name, and is then listed [API-98]', async () => {
    const made = await make(' Mixers ')
    expect(made).toEqual({ id: expect.any(String), name: 'Mixers', createdAt: expect.any(String), stages: [] })
    expect(await read(made.id)).toEqual(made)
    expect(await lastEntry()).toMatchObject({
      event: 'application.pipeline.created',
      body: { team: { id: team.id }, application: { id: application.id }, pipeline: { id: made.id, name: 'Mixers' } },
    })
  })

  test.each(['', '   ', 'a\0b'])('cannot be named %j', async (name) => {
    const before = (await list()).length
    const path = `/applications/${application.id}/pipelines`
    const { status, json } = await raw('POST', path, { name })
    expect([status, json.code, (await list()).length]).toEqual([400, 'invalid_name', before])
    const made = await make()
    expect((await raw('PUT', `${path}/${made.id}`, { pipeline: { name } })).json.code).toBe('invalid_name')
    expect((await read(made.id)).name).toBe('Ovens')
  })

  test('[API-100] is renamed by either form of body', async () => {
    const { id } = await make()
    const path = `/applications/${application.id}/pipelines/${id}`
    const params = { applicationId: application.id, pipelineId: id }
    const renamed = await owner.client.call('pipeline.update', { params, body: { pipeline: { name: 'Bread' } } })
    expect(renamed).toMatchObject({ id, name: 'Bread' })
    expect(await lastEntry()).toMatchObject({
      event: 'application.pipeline.updated',
      body: { updates: [{ key: 'name', old: 'Ovens', new: 'Bread', dif: 'updated' }] },
    })
    expect((await raw('PUT', path, { name: 'Rolls' })).json).toMatchObject({ id, name: 'Rolls' })
    expect((await read(id)).name).toBe('Rolls')
  })

  test('[API-101] is gone once deleted, with its stages; its instances stay', async () => {
    const { id } = await make()
    const { id: stageId } = await add(id, 'Dev', line[0]!)
    await owner.client.call('pipeline.delete', { params: { applicationId: application.id, pipelineId: id } })
    expect((await list()).some((one) => one.id === id)).toBe(false)
    expect((await raw('GET', `/pipelines/${id}/stages/${stageId}`)).status).toBe(404)
    expect((await raw('GET', `/projects/${line[0]!.id}`)).status).toBe(200)
    expect(await lastEntry()).toMatchObject({ event: 'application.pipeline.deleted', body: { pipeline: { id } } })
  })

  test('of another application, or another team, is not there', async () => {
    const [{ id }, stranger] = [await make(), await server.build.user()]
    const other = await server.build.application(owner, team)
    for (const method of ['PUT', 'DELETE'])
      expect((await raw(method, `/applications/${other.id}/pipelines/${id}`, { name: 'x' })).status).toBe(404)
    const theirs = await raw('POST', `/pipelines/${id}/stages`, { name: 'x', instanceId: line[0]!.id }, stranger)
    expect(theirs.status).toBe(404)
    expect(await read(id)).toMatchObject({ name: 'Ovens', stages: [] })
  })

  test('goes with its application', async () => {
    const other = await server.build.application(owner, team)
    await owner.client.call('pipeline.create', { params: { applicationId: other.id }, body: { name: 'Gone' } })
    await owner.client.call('application.delete', { params: { applicationId: other.id } })
    const rows = await server.app.database.read.selectFrom('pipelines').selectAll().where('name', '=', 'Gone').execute()
    expect(rows).toEqual([])
  })
})

describe('stages', () => {
  test('[API-102] [PIPE-22] follow the one they are added behind, and the rest follows them', async () => {
    const { id } = await make()
    const first = await add(id, 'Dev', line[0]!)
    expect(first).toMatchObject({ name: 'Dev', instances: [{ id: line[0]!.id, name: 'dev' }], isDeploying: false })
    expect(first.state).toEqual(expect.any(String))
    expect(first).not.toHaveProperty('NextStageId')
    const last = await add(id, 'Production', line[2]!, first.id)
    const between = await add(id, 'Staging', line[1]!, first.id)
    await add(id, 'Spare', line[3]!)
    expect(between.NextStageId).toBe(last.id)
    const now = await read(id)
    expect(now.stages.map(({ name }) => name)).toEqual(['Dev', 'Staging', 'Production', 'Spare'])
    expect(chain(now)).toEqual(['Dev', 'Staging', 'Production', 'Spare'])
    expect(await lastEntry()).toMatchObject({
      event: 'application.pipeline.stage-added',
      body: { pipeline: { id }, pipelineStage: { name: 'Spare' } },
    })
    const { log } = await owner.client.call('instance.auditLog', { params: { instanceId: line[3]!.id }, query: {} })
    expect(log.find(({ event }) => event === 'project.assigned-to-pipeline-stage')?.body).toMatchObject({
      project: { name: 'spare' },
      pipelineStage: { name: 'Spare' },
    })
  })

  test('[API-103] are read one by one; an unknown one, or one of another pipeline, is not there', async () => {
    const [one, other] = [await make(), await make()]
    const stage = await add(one.id, 'Dev', line[0]!)
    const get = async (pipelineId: string, stageId: string) => raw('GET', `/pipelines/${pipelineId}/stages/${stageId}`)
    const known = owner.client.call('pipeline.getStage', { params: { pipelineId: one.id, stageId: stage.id } })
    expect(await known).toMatchObject({ id: stage.id, name: 'Dev' })
    expect((await get(one.id, 'none')).status).toBe(404)
    expect((await get(other.id, stage.id)).status).toBe(404)
    for (const method of ['PUT', 'DELETE'])
      expect((await raw(method, `/pipelines/${other.id}/stages/${stage.id}`, { name: 'x' })).status).toBe(404)
    expect((await read(one.id)).stages).toHaveLength(1)
  })

  test('[API-104] get another name and another instance', async () => {
    const { id } = await make()
    const stage = await add(id, 'Dev', line[0]!)
    const params = { pipelineId: id, stageId: stage.id }
    const body = { name: 'Test', instanceId: line[3]!.id }
    const changed = await owner.client.call('pipeline.updateStage', { params, body })
    expect(changed).toMatchObject({ id: stage.id, name: 'Test', instances: [{ name: 'spare' }] })
    expect(await lastEntry()).toMatchObject({
      event: 'application.pipeline.stage-updated',
      body: { pipelineStage: { name: 'Test' }, updates: [{ key: 'name' }, { key: 'instance' }] },
    })
    expect((await raw('PUT', `/pipelines/${id}/stages/${stage.id}`, { name: ' ' })).json.code).toBe('invalid_name')
  })

  test('[API-105] leave the chain whole when one goes, wherever it stood', async () => {
    for (const gone of [0, 1, 2]) {
      const { id } = await make()
      for (const [at, name] of ['Dev', 'Staging', 'Production'].entries()) await add(id, name, line[at]!)
      const stageId = (await read(id)).stages[gone]!.id
      await owner.client.call('pipeline.deleteStage', { params: { pipelineId: id, stageId } })
      expect(chain(await read(id))).toEqual(['Dev', 'Staging', 'Production'].toSpliced(gone, 1))
      expect((await lastEntry())?.event).toBe('application.pipeline.stage-deleted')
    }
  })

  test('refuse an instance that is unknown, of another application, or in the pipeline already', async () => {
    const { id } = await make()
    const stage = await add(id, 'Dev', line[0]!)
    const elsewhere = await server.build.instance(owner, await server.build.application(owner, team))
    for (const instanceId of ['none', elsewhere.id, line[0]!.id]) {
      const { status, json } = await raw('POST', `/pipelines/${id}/stages`, { name: 'x', instanceId })
      expect([status, json.code]).toEqual([400, 'invalid_instance'])
    }
    const second = await add(id, 'Staging', line[1]!)
    const taken = await raw('PUT', `/pipelines/${id}/stages/${second.id}`, { instanceId: line[0]!.id })
    expect(taken.json).toMatchObject({ code: 'invalid_instance', error: 'The stage "Dev" has this instance already' })
    const nowhere = await raw('POST', `/pipelines/${id}/stages`, { name: 'x', instanceId: line[2]!.id, source: 'none' })
    expect([nowhere.status, nowhere.json.code]).toEqual([400, 'invalid_input'])
    expect((await read(id)).stages.map(({ id: one }) => one)).toEqual([stage.id, second.id])
  })

  test('are put behind a stage of their own pipeline alone, and stay there', async () => {
    const { id } = await make()
    const dev = await add(id, 'Dev', line[0]!)
    const staging = await add(id, 'Staging', line[1]!)
    const stranger = await server.build.user()
    const theirs = await server.build.application(stranger, await server.build.team(stranger))
    const other = await stranger.client.call('pipeline.create', {
      params: { applicationId: theirs.id },
      body: { name: 'Theirs' },
    })
    const foreign = await stranger.client.call('pipeline.addStage', {
      params: { pipelineId: other.id },
      body: { name: 'Dev', instanceId: (await server.build.instance(stranger, theirs)).id },
    })
    const another = await add((await make('Another')).id, 'Dev', line[0]!)
    const before = await read(id)
    const refused = { status: 400, json: { code: 'invalid_input', error: expect.stringMatching(/stage/) as string } }
    for (const source of [foreign.id, another.id, 'none']) {
      const body = { name: 'Prod', instanceId: line[2]!.id, source }
      expect(await raw('POST', `/pipelines/${id}/stages`, body)).toMatchObject(refused)
    }
    for (const source of [foreign.id, another.id, staging.id, 'none'])
      expect(await raw('PUT', `/pipelines/${id}/stages/${staging.id}`, { name: 'Moved', source })).toMatchObject(
        refused,
      )
    expect(await raw('PUT', `/pipelines/${id}/stages/${dev.id}`, { source: staging.id })).toMatchObject(refused)
    expect(await read(id)).toEqual(before)
    const same = await raw('PUT', `/pipelines/${id}/stages/${staging.id}`, { name: 'Test', source: dev.id })
    expect([same.status, same.json.name]).toEqual([200, 'Test'])
  })

  test('asked for twice at once take an instance once', async () => {
    const { id } = await make()
    const answers = await Promise.all(
      [1, 2, 3].map(async () => raw('POST', `/pipelines/${id}/stages`, { name: 'Dev', instanceId: line[0]!.id })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400])
    expect((await read(id)).stages).toHaveLength(1)
  })

  test('stay without an instance when it is deleted or moved away, and have it again when it is back', async () => {
    const { id } = await make()
    const [dev, lost] = [await create('lost-dev'), await create('lost')]
    await Promise.all([settled(dev.id), settled(lost.id)])
    const first = await add(id, 'Dev', dev)
    await add(id, 'Staging', lost)
    const elsewhere = await server.build.application(owner, team)
    const move = async (to: string) =>
      owner.client.call('instance.move', { params: { instanceId: lost.id }, body: { applicationId: to } })
    await move(elsewhere.id)
    expect((await read(id)).stages[1]).toEqual({
      id: expect.any(String),
      name: 'Staging',
      onErrors: 'pass',
      instances: [],
    })
    const { status, json } = await raw('GET', `/pipelines/${id}/stages/${first.id}/changes`)
    expect([status, json.code]).toEqual([400, 'invalid_input'])
    expect(json.error).toBe('Unable to find configured target for stage "Dev".')
    await move(application.id)
    expect((await read(id)).stages[1]?.instances).toHaveLength(1)
    await owner.client.call('instance.delete', { params: { instanceId: lost.id } })
    expect((await read(id)).stages[1]?.instances).toEqual([])
    await owner.client.call('deleted.restore', { params: { teamId: team.id, instanceId: lost.id }, body: {} })
    expect((await read(id)).stages[1]?.instances).toHaveLength(1)
    await settled(lost.id)
    await owner.client.call('instance.delete', { params: { instanceId: lost.id } })
    await owner.client.call('deleted.remove', { params: { teamId: team.id, instanceId: lost.id } })
    const [, { id: stageId, instances } = { id: '', instances: [] }] = (await read(id)).stages
    expect(instances).toEqual([])
    const params = { pipelineId: id, stageId }
    await owner.client.call('pipeline.updateStage', { params, body: { instanceId: line[3]!.id } })
    expect((await read(id)).stages[1]?.instances).toMatchObject([{ name: 'spare' }])
  })

  test('[PIPE-20] tell that the last one has no target', async () => {
    const { id } = await make()
    const { id: stageId } = await add(id, 'Only', line[0]!)
    const changes = owner.client.call('pipeline.changes', { params: { pipelineId: id, stageId } })
    await expect(changes).rejects.toThrow('Unable to find configured target for stage "Only".')
  })
})

describe('[PIPE-23] members see pipelines, owners change them, viewers get neither', () => {
  test.each([
    { role: roles.viewer, sees: 403, changes: 403 },
    { role: roles.member, sees: 200, changes: 403 },
    { role: roles.owner, sees: 200, changes: 200 },
  ] as { role: TeamRole; sees: number; changes: number }[])('$role', async ({ role, sees, changes }) => {
    const user = await server.build.member(team, role)
    const { id } = await make()
    const [dev] = [await add(id, 'Dev', line[0]!), await add(id, 'Staging', line[1]!)]
    const ask = async (method: string, path: string, body?: unknown) => (await raw(method, path, body, user)).status
    const pipelines = `/applications/${application.id}/pipelines`
    const stages = `/pipelines/${id}/stages`
    expect(await ask('GET', pipelines)).toBe(sees)
    expect(await ask('GET', `${stages}/${dev.id}`)).toBe(sees)
    expect(await ask('GET', `${stages}/${dev.id}/changes`)).toBe(sees)
    expect(await ask('POST', pipelines, { name: 'x' })).toBe(changes)
    expect(await ask('PUT', `${pipelines}/${id}`, { name: 'x' })).toBe(changes)
    expect(await ask('POST', stages, { name: 'x', instanceId: line[2]!.id })).toBe(changes)
    expect(await ask('PUT', `${stages}/${dev.id}`, { name: 'x' })).toBe(changes)
    expect(await ask('DELETE', `${stages}/${dev.id}`)).toBe(changes)
    expect(await ask('DELETE', `${pipelines}/${id}`)).toBe(changes)
  })
})

test('with the feature off there are no pipelines, and the settings say so', async () => {
  const without = await startServer({
    config: {
      features: switchesWithout('devops-pipelines'),
    },
  })
  const platform = await without.build.platform()
  const { id } = await without.build.application(platform.owner, platform.team)
  const headers = { cookie: platform.owner.cookie }
  for (const method of ['GET', 'POST']) {
    const answer = await send(without.address, method, `/api/v1/applications/${id}/pipelines`, {
      headers,
      ...(method === 'POST' ? { body: { name: 'x' } } : {}),
    })
    expect(answer.status).toBe(404)
  }
  const { features } = await platform.owner.client.call('settings.get')
  expect(features).toMatchObject({ 'devops-pipelines': false })
  await without.close()
})
