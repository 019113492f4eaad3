import { expect, test } from 'vitest'
import { cookieOf, openMailServer, openServer, password, send, testClock, tokenIn } from '../../../testing/index.ts'

const minute = 60_000
const clock = testClock()
const mails = await openMailServer()
const server = await openServer({ clock, config: { trustProxy: ['loopback'], mail: mails.mail } })
await server.build.setting('user:reset-password', true)

const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile Safari/604.1'
const login = (body: object, from: string, cookie?: string) =>
  send(server.address, 'POST', '/account/login', {
    body,
    headers: { 'x-forwarded-for': from, 'user-agent': phone, ...(cookie ? { cookie } : {}) },
  })
/** The cookie by which this browser is known from now on. */
async function signedIn(username: string, from = '198.51.100.1', cookie?: string): Promise<string> {
  const answer = await login({ username, password }, from, cookie)
  expect(answer.status).toBe(200)
  return `browser=${cookieOf(answer, 'browser')}`
}
let network = 0
/** Somebody guesses from everywhere until no guess of a stranger is judged any more. */
async function siege(username: string): Promise<void> {
  network += 1
  for (let n = 0; n < 11; n++) await login({ username, password: 'guess' }, `10.${network}.0.${n}`)
  expect(await login({ username, password }, `10.${network}.1.1`)).toMatchObject({
    status: 429,
    json: { code: 'too_many_requests', error: expect.stringContaining('a browser that you have used before') },
  })
}

test('a person who signed in from a browser before signs in there while strangers guess, also from a crowded address', async () => {
  const { username } = await server.build.user({ admin: true })
  let cookie = await signedIn(username)
  await siege(username)
  for (let n = 0; n < 31; n++) await login({ username: `crowd-${n}`, password: 'guess' }, '192.0.2.200')
  for (let n = 0; n < 3; n++) cookie = await signedIn(username, '192.0.2.200', cookie)
  expect((await login({ username, password }, '192.0.2.200', cookie)).status).toBe(200)
})

test('a guess of a known browser is counted too, and its right password gives strangers no more guesses', async () => {
  const { username } = await server.build.user()
  const cookie = await signedIn(username)
  await siege(username)
  const again = await signedIn(username, '198.51.100.1', cookie)
  expect((await login({ username, password: 'guess' }, '10.250.0.1')).status).toBe(429)
  const statuses = []
  for (let n = 0; n < 12; n++)
    statuses.push((await login({ username, password: 'guess' }, '198.51.100.1', again)).status)
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])
})

test('a browser is known for the people who signed in there, and by a cookie that is another one each time', async () => {
  const [ada, bob] = [await server.build.user(), await server.build.user()]
  const first = await signedIn(ada.username)
  await siege(bob.username)
  // A sign-in of Ada there says nothing about Bob.
  expect((await login({ username: bob.username, password }, '198.51.100.1', first)).status).toBe(429)
  clock.turn(15 * minute)
  const second = await signedIn(bob.username, '198.51.100.1', first)
  await siege(ada.username)
  await siege(bob.username)
  expect((await login({ username: ada.username, password }, '198.51.100.1', first)).status).toBe(429)
  const third = await signedIn(ada.username, '198.51.100.1', second)
  await signedIn(bob.username, '198.51.100.1', third)
})

test('an open session changes its password while strangers guess; browsers elsewhere are then strangers', async () => {
  const { username, cookie } = await server.build.user()
  const [here, there] = [await signedIn(username), await signedIn(username)]
  await siege(username)
  const next = 'another horse battery'
  const change = await send(server.address, 'PUT', '/api/v1/user/change_password', {
    body: { old_password: password, password: next },
    headers: { cookie: `${cookie}; ${here}` },
  })
  expect(change.status).toBe(200)
  expect((await login({ username, password: next }, '198.51.100.1', there)).status).toBe(429)
  expect((await login({ username, password: next }, '198.51.100.1', here)).status).toBe(200)
})

test('a person who used a reset link signs in with the new password, in this browser as long as strangers guess', async () => {
  const { username } = await server.build.user()
  await siege(username)
  await send(server.address, 'POST', '/account/forgot_password', { body: { email: `${username}@example.com` } })
  // The mail about the refused sign-ins comes first.
  const token = tokenIn(await mails.to(`${username}@example.com`, 2))
  const next = 'a horse of another colour'
  const reset = await send(server.address, 'POST', `/account/reset_password/${token}`, { body: { password: next } })
  expect(reset.status).toBe(200)
  expect((await login({ username, password: next }, '198.51.100.9')).status).toBe(200)
  await siege(username)
  // The cookie of the reset is all that this browser has and a stranger at the same address has not.
  expect((await login({ username, password: next }, '198.51.100.9')).status).toBe(429)
  const cookie = `browser=${cookieOf(reset, 'browser')}`
  expect((await login({ username, password: next }, '198.51.100.9', cookie)).status).toBe(200)
})

test('refused sign-ins are mailed to the person once a day, and to nobody for a name that nobody has', async () => {
  const { username } = await server.build.user()
  const address = `${username}@example.com`
  const count = () => mails.received.filter(({ to }) => to.includes(address)).length
  for (let n = 0; n < 9; n++) await login({ username, password: 'guess' }, `10.200.0.${n}`)
  expect(count()).toBe(0)
  await login({ username: address, password: 'guess-10' }, '10.200.0.77')
  const mail = await mails.to(address)
  expect(mail.parsed.subject).toBe('Sign-ins to your account were refused')
  expect(mail.parsed.text).toContain('10 times within a day, most recently from 10.200.0.77')
  expect(mail.source).not.toContain('guess-10')
  clock.turn(15 * minute)
  for (let n = 0; n < 12; n++) await login({ username, password: 'guess' }, `10.201.0.${n}`)
  clock.turn(24 * 60 * minute)
  for (let n = 0; n < 12; n++) await login({ username, password: 'guess' }, `10.202.0.${n}`)
  await mails.to(address, 2)
  for (let n = 0; n < 12; n++) await login({ username: 'nobody-at-all', password: 'guess' }, `10.203.0.${n}`)
  expect(count()).toBe(2)
})

test('a sign-in from a browser that is not known is mailed, the first ever and those of known browsers are not', async () => {
  const { username } = await server.build.user()
  const address = `${username}@example.com`
  const cookie = await signedIn(username)
  await signedIn(username, '203.0.113.5', cookie)
  await signedIn(username, '203.0.113.7')
  const mail = await mails.to(address)
  expect(mail.parsed.subject).toBe('New sign-in to your account')
  expect(mail.parsed.text).toContain('Safari on iPhone')
  expect(mail.parsed.text).toContain('203.0.113.7')
  // A program that keeps no cookies does not send a mail every time.
  await signedIn(username, '203.0.113.7')
  await signedIn(username, '203.0.113.8')
  await mails.to(address, 2)
  expect(mails.received.filter(({ to }) => to.includes(address))).toHaveLength(2)
})

test('at most twenty browsers of a person are known, those first that came back', async () => {
  const { username } = await server.build.user()
  const own = await signedIn(username, '198.51.100.1', await signedIn(username))
  const oldest = await signedIn(username)
  for (let n = 0; n < 20; n++) await signedIn(username)
  await siege(username)
  expect((await login({ username, password }, '198.51.100.1', oldest)).status).toBe(429)
  await signedIn(username, '198.51.100.1', own)
})
