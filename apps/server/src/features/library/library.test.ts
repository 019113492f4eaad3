import type { LibraryEntry } from '@app/contract'
import { describe, expect, test } from 'vitest'
import { clientWith, openPlatform, send, startServer, switchesWithout, testClock } from '../../../testing/index.ts'

const clock = testClock()
const { server, owner, team } = await openPlatform({ clock })

const flows = [{ id: 'a', type: 'inject', name: 'ä' }]
const at = (path: string, of = team) => `/storage/library/${of.id}/${path}`
const call = (user: { cookie: string }, method: string, path: string, body?: unknown) =>
  send(server.address, method, path, { headers: { cookie: user.cookie }, body })
const save = (path: string, body: unknown = flows, type = 'flows', meta?: object) =>
  call(owner, 'POST', at(path), { type, body, ...(meta ? { meta } : {}) })
const list = async (path = '') => (await call(owner, 'GET', at(path))).json as unknown as (LibraryEntry | string)[]
const refusal = (code: string) => ({ status: 400, json: { code } })

describe('the library of a team', () => {
  test('[LIB-08] [LIB-11] [API-116] keeps flows as JSON and functions as text, and lists them with what belongs to them', async () => {
    expect(await save('press/start', flows)).toMatchObject({ status: 201, text: '' })
    await save('press/limits/clamp', 'return msg', 'functions', { outputs: 2 })
    await save('hello', JSON.stringify(flows))
    const updatedAt = new Date(clock.now()).toISOString()
    expect(await list()).toEqual([{ fn: 'hello', type: 'flows', updatedAt, path: 'hello' }, 'press'])
    expect(await list('press')).toEqual([{ fn: 'start', type: 'flows', updatedAt, path: 'press/start' }, 'limits'])
    expect(await list('press/limits/')).toEqual([
      { fn: 'clamp', type: 'functions', updatedAt, outputs: 2, path: 'press/limits/clamp' },
    ])
    expect(await call(owner, 'GET', at('press?type=functions'))).toMatchObject({ json: ['limits'] })
    for (const path of ['press/start', 'hello'])
      expect(await call(owner, 'GET', at(`${path}?type=flows`))).toMatchObject({ status: 200, json: flows })
    const text = await call(owner, 'GET', at('press/limits/clamp?type=functions'))
    expect([text.text, text.headers.get('content-type')]).toEqual(['return msg', 'text/plain; charset=utf-8'])
    expect(await list('nothing/here')).toEqual([])
  })

  test('an entry of the same name and type takes the place of the former', async () => {
    const params = { teamId: team.id, '*': 'again' }
    const put = async (body: unknown) => owner.client.call('library.save', { params, body: { type: 'flows', body } })
    await put([{ id: '1', type: 'x' }])
    clock.turn(60_000)
    await put([])
    expect(await owner.client.call('library.get', { params, query: { type: 'flows' } })).toEqual([])
    const [entry] = (await list()).filter((one) => typeof one === 'object' && one.fn === 'again')
    expect(entry).toMatchObject({ updatedAt: new Date(clock.now()).toISOString() })
    expect(await owner.client.call('library.delete', { params })).toEqual({ status: 'okay', deleteCount: 1 })
  })

  test('a path through an entry, onto a folder or out of the tree is refused', async () => {
    await save('tree/leaf')
    expect(await save('tree/leaf/more')).toMatchObject(refusal('invalid_name'))
    expect(await save('tree')).toMatchObject(refusal('invalid_name'))
    expect(await save('tree/..%2fetc')).toMatchObject(refusal('invalid_name'))
    expect(await save('')).toMatchObject(refusal('invalid_name'))
    expect(await save('x'.repeat(201))).toMatchObject(refusal('invalid_name'))
    expect(await call(owner, 'POST', at('untyped'), { body: [] })).toMatchObject(refusal('invalid_request'))
    expect(await save('torn', '[{')).toMatchObject(refusal('invalid_request'))
    expect(await call(owner, 'POST', at('bodiless'), { type: 'flows' })).toMatchObject(refusal('invalid_request'))
    expect(await list('tree')).toMatchObject([{ fn: 'leaf' }])
  })

  test('[API-117] an entry goes by its type, a folder with everything below it, and what is not there is not found', async () => {
    await save('bin/both')
    await save('bin/both', 'x', 'functions')
    await save('bin/deep/deeper/one')
    await save('binary')
    expect((await call(owner, 'DELETE', at('bin/both?type=functions'))).json).toEqual({
      status: 'okay',
      deleteCount: 1,
    })
    expect(await list('bin')).toMatchObject([{ fn: 'both', type: 'flows' }, 'deep'])
    expect((await call(owner, 'DELETE', at('bin?type=flows'))).status).toBe(404)
    expect((await call(owner, 'DELETE', at('bin?type=folder'))).json).toEqual({ status: 'okay', deleteCount: 2 })
    expect((await call(owner, 'DELETE', at('bin'))).status).toBe(404)
    expect(await list('bin')).toEqual([])
    expect((await call(owner, 'GET', at('binary?type=flows'))).json).toEqual(flows)
    const { log } = await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { limit: 1 } })
    expect(log).toMatchObject([{ event: 'team.library.deleted', body: { info: { path: 'bin', count: 2 } } }])
  })

  test('names hold for what they are: no pattern, no folder that only begins alike', async () => {
    await save('50%25_off/a')
    await save('50xxoff/b')
    expect(await list('50%25_off')).toMatchObject([{ fn: 'a' }])
    expect((await call(owner, 'DELETE', at('50%25_off?type=folder'))).json).toMatchObject({ deleteCount: 1 })
    expect(await list('50xxoff')).toMatchObject([{ fn: 'b' }])
  })
})

test('the instances of a team share its library, and nobody else', async () => {
  const application = await server.build.application(owner, team)
  const instance = await server.build.runningInstance(owner, application)
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  const asInstance = (method: string, path: string, body?: unknown) =>
    send(server.address, method, path, { headers, body })
  expect(
    (await asInstance('POST', at('from/editor'), { type: 'flows', name: 'from/editor', meta: {}, body: '[]' })).status,
  ).toBe(201)
  expect(await list('from')).toMatchObject([{ fn: 'editor' }])
  expect((await asInstance('DELETE', at('from/editor?type=flows'))).status).toBe(403)
  const strangers = await server.build.team(await server.build.user())
  expect((await asInstance('GET', at('', strangers))).status).toBe(404)
  const viewer = await server.build.member(team, 10)
  expect((await call(viewer, 'GET', at(''))).status).toBe(403)
})

test('an instance has a library of its own, which goes with it', async () => {
  const application = await server.build.application(owner, team)
  const [one, other] = [
    await server.build.runningInstance(owner, application),
    await server.build.runningInstance(owner, application),
  ]
  const own = async (instance: typeof one) => {
    const client = clientWith(server.address, 'authorization', `Bearer ${await server.build.instanceToken(instance)}`)
    return {
      save: (name: string, type: string, body: unknown) =>
        client.call('instanceLibrary.save', {
          params: { instanceId: instance.id, type },
          body: { name, meta: {}, body },
        }),
      get: (name: string, type: string) =>
        client.call('instanceLibrary.get', { params: { instanceId: instance.id, type }, query: { name } }),
    }
  }
  const mine = await own(one)
  await mine.save('forms/letter', 'templates', 'Dear {{name}}')
  expect(await mine.get('', 'templates')).toEqual(['forms'])
  expect(await mine.get('forms', 'templates')).toMatchObject([{ fn: 'letter' }])
  expect(await mine.get('', 'flows')).toEqual([])
  expect(await (await own(other)).get('', 'templates')).toEqual([])
  expect(await list()).not.toContain('forms')
})

test('[LIB-07] with the feature off there is no library, and the settings say so', async () => {
  const without = await startServer({
    config: {
      features: switchesWithout('shared-library'),
    },
  })
  const { owner: user, team: theirs } = await without.build.platform()
  const headers = { cookie: user.cookie }
  expect((await send(without.address, 'GET', at('', theirs), { headers })).status).toBe(404)
  const { features } = await user.client.call('settings.get')
  expect(features).toMatchObject({ 'shared-library': false })
  await without.close()
})
