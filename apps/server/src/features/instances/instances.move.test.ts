import { roles } from '@app/contract'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { instanceCalls, openPlatform, openStream, send, until, untilJobsEnded } from '../../../testing/index.ts'

let application: { id: string; name: string }
let other: { id: string; name: string }
const { act, create, inState, log, raw, read, running, script, settled, visit } = instanceCalls(() => ({
  server,
  owner,
  application,
}))

const { server, owner, team } = await openPlatform()
beforeAll(async () => {
  application = await server.build.application(owner, team, 'Oven line')
  other = await server.build.application(owner, team, 'Cold store')
})

const move = (instanceId: string, applicationId: string, by = owner) =>
  by.client.call('instance.move', { params: { instanceId }, body: { applicationId } })
const idsIn = async (applicationId: string) =>
  (await owner.client.call('application.instances', { params: { applicationId } })).instances.map(({ id }) => id)
const teamLog = async () =>
  (await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { event: 'project.moved' } })).log

test('[APP-16] an instance moves to another application as it is: same address, same process, both logs tell it', async () => {
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
  const told = await stream.heard(
    (event) => event.type === 'instance' && event.id === before.id && event.changed === true,
  )
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

test('[PERM-42] owners move, and their tokens with the scope; to another team, to an unknown application or as a stranger there is nothing', async () => {
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

  const byToken = async (scope: 'project:edit' | 'project:transfer') => {
    const body = { name: scope, scopes: [scope], expiresAt: null }
    const { token } = await owner.client.call('tokens.create', { body })
    return send(server.address, 'PUT', `/api/v1/projects/${id}/application`, {
      headers: { authorization: `Bearer ${token}` },
      body: { applicationId: other.id },
    })
  }
  expect((await byToken('project:edit')).status).toBe(403)
  expect(await byToken('project:transfer')).toMatchObject({ status: 200, json: { application: { id: other.id } } })
  expect((await move(id, application.id)).application.id).toBe(application.id)
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

describe('an application that is put aside, since its deleted instance can be had back, at the moment in which', () => {
  /** Keeps whoever writes into the log of the team waiting, until the returned function is called. */
  async function holdLog(): Promise<() => Promise<void>> {
    const [held, latch] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = server.app.database.transact(async (tx) => {
      // The first entry of its kind would find nothing to wait for.
      const first = { scope_type: 'team', scope_id: team.id, event: 'project.undeleted', count: 0 } as const
      await tx
        .insertInto('audit_counts')
        .values(first)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await tx.updateTable('audit_counts').set({ count: sql`count` }).where('scope_id', '=', team.id).execute()
      held.resolve()
      await latch.promise
    })
    await held.promise
    return async () => {
      latch.resolve()
      await holding
    }
  }
  /** Both wait for somebody. The embedded database lets only one begin. */
  const bothWait = async () =>
    server.app.database.kind === 'sqlite' ||
    until(
      async () => {
        const waiting = sql<{ n: number }>`select count(*) as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
        return Number((await waiting.execute(server.app.database.read)).rows[0]!.n)
      },
      (n) => n === 2,
    )
  async function otherApplication() {
    const doomed = await server.build.application(owner, team)
    const gone = await server.build.runningInstance(owner, doomed)
    await owner.client.call('instance.delete', { params: { instanceId: gone.id } })
    // It cannot be had back before its process has ended.
    await untilJobsEnded(server.app.database)
    return { id: doomed.id, gone: gone.id, params: { applicationId: doomed.id } }
  }
  const isShown = async (instanceId: string) => {
    const { applications } = await owner.client.call('application.listOfTeam', { params: { teamId: team.id } })
    return applications.some(({ instances }) => instances.some(({ id }) => id === instanceId))
  }
  const entering: Record<string, (into: Awaited<ReturnType<typeof otherApplication>>, id: string) => Promise<string>> =
    {
      'an instance moves into it': async (into, id) => (await move(id, into.id)).id,
      'an instance is created in it': async (into) => (await server.build.instance(owner, into)).id,
      'its instance is had back': async (into) => {
        await owner.client.call('deleted.restore', { params: { teamId: team.id, instanceId: into.gone }, body: {} })
        return into.gone
      },
    }

  test.each(Object.entries(entering))('%s, still shows every instance', async (_title, enter) => {
    for (const order of ['enters first', 'is deleted first']) {
      const { id } = await running()
      const into = await otherApplication()
      const release = await holdLog()
      const remove = () => owner.client.call('application.delete', { params: into.params })
      const acts = order === 'enters first' ? [() => enter(into, id), remove] : [remove, () => enter(into, id)]
      const results = Promise.allSettled(acts.map((act) => act()))
      await bothWait()
      await release()
      for (const result of await results) {
        const code = result.status === 'rejected' && (result.reason as { code?: string }).code
        expect([false, 'not_found', 'invalid_application']).toContain(code)
      }
      const entered = (await results).flatMap((one) =>
        one.status === 'fulfilled' && typeof one.value === 'string' ? [one.value] : [],
      )
      for (const each of [id, ...entered]) expect(await isShown(each)).toBe(true)
    }
  })
})
