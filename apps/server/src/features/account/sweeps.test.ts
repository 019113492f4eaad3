import { expect, test } from 'vitest'
import { cookieOf, openServer, password, send, testClock } from '../../../testing/index.ts'

const day = 24 * 3_600_000
const clock = testClock()
const server = await openServer({ clock })

const login = async (username: string, secret = password) =>
  send(server.address, 'POST', '/account/login', { body: { username, password: secret } })
const countOf = async (table: 'sessions' | 'rate_limits' | 'tokens') => {
  const all = server.app.database.read.selectFrom(table).select((select) => select.fn.countAll().as('n'))
  return Number((await all.executeTakeFirstOrThrow()).n)
}

test('what has had its time goes, and what has not stays, however much there is', async () => {
  const { database, services } = server.app
  const user = await server.build.user()
  const team = await server.build.team(user)
  const instance = await server.build.instance(user, await server.build.application(user, team))
  await login(user.username, 'wrong')
  await database.transact(async (tx) => {
    for (let n = 0; n < 1_001; n++) await services.sessions.open(tx, user.id, { address: '', userAgent: `old ${n}` })
    await services.tokens.forEditor(tx, user.id, instance.id, '*')
  })
  expect(await countOf('rate_limits')).toBeGreaterThan(0)
  clock.turn(31 * day)
  await database.transact(async (tx) => void (await services.tokens.forEditor(tx, user.id, instance.id, '*')))
  const before = await countOf('tokens')
  await services.sweeper.sweep()
  expect([await countOf('sessions'), await countOf('rate_limits'), before - (await countOf('tokens'))]).toEqual([
    0, 0, 1,
  ])
  const cookie = `sid=${cookieOf(await login(user.username), 'sid')}`
  await services.sweeper.sweep()
  expect((await send(server.address, 'GET', '/api/v1/user', { headers: { cookie } })).status).toBe(200)
})
