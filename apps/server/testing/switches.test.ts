import { type Route, type RouteId, routes, switches, type Switch } from '@app/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from './request.ts'
import { startServer, type TestServer } from './server.ts'

let off: TestServer
let cookie: string

beforeAll(async () => {
  const none = Object.fromEntries(Object.keys(switches).map((name) => [name, false])) as Record<Switch, boolean>
  off = await startServer({ config: { features: none } })
  cookie = (await off.build.platform()).admin.cookie
})
afterAll(() => off.close())

const behind = (Object.entries(routes) as [RouteId, Route][]).flatMap(([id, route]) =>
  route.switch ? [[route.switch.names[0]!, id, route, route.switch.refusal] as const] : [],
)

test.each(behind)('with %s off, %s is refused, even to an administrator', async (name, _id, { method, path }, code) => {
  const url = path.replace(/:\w+/g, 'x').replace('*', 'x')
  const answer = await send(off.address, method, url, {
    headers: { cookie },
    ...(method === 'GET' ? {} : { body: {} }),
  })
  expect([answer.status, answer.json]).toEqual([
    code === 'not_found' ? 404 : 503,
    expect.objectContaining({ code, error: switches[name] }),
  ])
})

test.each(['install.sh', 'Dockerfile', 'flowforge-agent.tgz'])(
  'with devices off, /agent/%s is not there',
  async (file) => {
    const answer = await send(off.address, 'GET', `/agent/${file}`)
    expect([answer.status, answer.json]).toEqual([404, expect.objectContaining({ code: 'not_found' })])
  },
)

test('the calls of a noun are behind one switch, all of them or none', () => {
  const nouns = Map.groupBy(Object.entries(routes) as [RouteId, Route][], ([id]) => id.split('.')[0])
  const mixed = [...nouns].filter(([, calls]) => new Set(calls.map(([, route]) => route.switch?.names.join())).size > 1)
  expect(mixed.map(([noun]) => noun)).toEqual([])
})
