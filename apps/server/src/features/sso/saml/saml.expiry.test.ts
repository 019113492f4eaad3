import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  startMailServer,
  startServer,
  testClock,
  type TestServer,
  type TestUser,
  until,
} from '../../../../testing/index.ts'
import { readKeyFile } from '../../../platform/keys/key.file.ts'

const day = 86_400_000
const subject = /certificate for single sign-on/
const mails = await startMailServer()
afterAll(() => mails.close())

let clock: ReturnType<typeof testClock>
let server: TestServer
let admin: TestUser
let email: string
let serial = 0
const start = async (config: Partial<TestServer['config']> = {}) =>
  startServer({ clock, config: { mail: mails.mail, ...config } })
beforeAll(async () => {
  clock = testClock()
  // Certificates are made in whole days from the present, so they expire within the last of them.
  clock.turn(3_600_000)
  server = await start()
})
afterAll(() => server.close())
beforeEach(async () => {
  await server.build.setting('user:sso', true)
  // Sessions of the test before have ended with the days that went by, and its administrators get mail no more.
  await server.app.database.read.updateTable('users').set({ admin: 0 }).execute()
  await server.app.database.read.deleteFrom('sso_providers').execute()
  admin = await boss()
  email = await addressOf(admin)
})
/** An administrator whose name no server of this file has given before. */
const boss = async () => server.build.user({ admin: true, username: `boss-${(serial += 1)}` })

const addressOf = async ({ id }: TestUser) =>
  (await server.app.database.read.selectFrom('users').select('email').where('id', '=', id).executeTakeFirstOrThrow())
    .email

/** A certificate that expires after so many days of the clock. Made beside the server, which shares this process. */
async function certificate(days: number): Promise<string> {
  const whole = Math.floor((clock.now() - Date.now()) / day) + days
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null'
  const made = `req -x509 ${key} -days ${whole} -subj /CN=idp`.split(' ')
  return (await promisify(execFile)('openssl', made)).stdout
}

/** A SAML provider with these certificates. */
async function provider(options: { cert: string; nextCert?: string }, active = true): Promise<string> {
  const name = `Company ${(serial += 1)}`
  const body = { name, domainFilter: `company${serial}.example.com` }
  const { id } = await admin.client.call('sso.create', { body })
  await change(id, { active, options: { entryPoint: 'https://idp.example.com/', idpIssuer: 'idp', ...options } })
  return id
}
const change = async (providerId: string, body: object) =>
  admin.client.call('sso.update', { params: { providerId }, body })
const look = async (...servers: TestServer[]) =>
  Promise.all((servers.length > 0 ? servers : [server]).map(({ app }) => app.services.samlWatch.check()))
/** The mails about certificates that are queued or arrived; each look queues what it has to say. */
async function told(to = email): Promise<string[]> {
  const arrived = () => mails.received.filter((one) => one.to.includes(to) && subject.test(one.parsed.subject ?? ''))
  const waiting = async () => (await server.app.database.read.selectFrom('mails').select('id').execute()).length
  await until(waiting, (count) => count === 0)
  return arrived().map(({ parsed }) => parsed.subject ?? '')
}
const finding = async () =>
  (await admin.client.call('health.check')).checks.find(({ part }) => part === 'Single sign-on')

test('administrators get one mail for a certificate, 30 days before it expires, and the health page warns', async () => {
  const suspended = await boss()
  await admin.client.call('user.update', { params: { userId: suspended.id }, body: { suspended: true } })
  const member = await server.build.user()
  const id = await provider({ cert: await certificate(32) })
  const { name } = await admin.client.call('sso.get', { params: { providerId: id } })
  await look()
  expect(await told()).toEqual([])
  expect(await finding()).toMatchObject({ state: 'ok' })

  clock.turn(2 * day)
  await look()
  await look()
  expect(await told()).toEqual(['A certificate for single sign-on expires in 30 days'])
  const [mail] = mails.received.filter(({ to }) => to.includes(email)).slice(-1)
  expect(mail?.parsed.text).toContain(`/admin/settings/sso/${id}`)
  expect(mail?.parsed.text).toContain(`“${name}” expires on `)
  for (const other of [suspended, member]) expect(await told(await addressOf(other))).toEqual([])
  admin = await boss()
  expect(await finding()).toMatchObject({
    state: 'warning',
    code: 'SSO01',
    seen: expect.stringContaining(name),
  })

  // A certificate in its place is another one, and is told of in its own time.
  await change(id, { options: { cert: await certificate(31) } })
  await look()
  clock.turn(2 * day)
  await look()
  expect(await told()).toHaveLength(2)
})

test('nobody is told of an inactive provider until it is activated, nor while single sign-on is off', async () => {
  const id = await provider({ cert: await certificate(5) }, false)
  await look()
  expect(await told()).toEqual([])
  await change(id, { active: true })
  await server.build.setting('user:sso', false)
  await look()
  expect(await told()).toEqual([])
  await server.build.setting('user:sso', true)
  await look()
  expect(await told()).toEqual(['A certificate for single sign-on expires in 5 days'])
})

test('nobody is told while the next certificate is there and valid for longer, in either field', async () => {
  await provider({ cert: await certificate(5), nextCert: await certificate(365) })
  await provider({ cert: await certificate(365), nextCert: await certificate(5) })
  await look()
  expect(await told()).toEqual([])
  // Both end soon: only the later one decides when nobody can sign in any more.
  await provider({ cert: await certificate(3), nextCert: await certificate(20) })
  await look()
  expect(await told()).toEqual(['A certificate for single sign-on expires in 20 days'])
})

test('one that has expired is told of as expired', async () => {
  await provider({ cert: await certificate(1) })
  clock.turn(2 * day)
  await look()
  expect(await told()).toEqual(['A certificate for single sign-on has expired'])
})

test('the page of a provider has the dates of both certificates, and other types have none', async () => {
  const id = await provider({ cert: await certificate(10), nextCert: await certificate(400) })
  const { certificates } = await admin.client.call('sso.get', { params: { providerId: id } })
  const days = certificates?.map(({ option, expiresAt }) => [
    option,
    Math.ceil((Date.parse(expiresAt) - clock.now()) / day),
  ])
  expect(days).toEqual([
    ['cert', 10],
    ['nextCert', 400],
  ])
  const oidc = await admin.client.call('sso.create', { body: { name: 'Open', type: 'oidc' } })
  expect(oidc).not.toHaveProperty('certificates')
})

test('once, also by two looks at the same time and after a restart', async () => {
  await provider({ cert: await certificate(9) })
  await look(server, server)
  expect(await told()).toHaveLength(1)
  await server.stop()
  server = await start(server.config)
  await look()
  expect(await told()).toHaveLength(1)
})

test.runIf(process.env.TEST_DATABASE === 'postgres')('once, also by two servers at the same time', async () => {
  const secretKey = readKeyFile(server.config.home)!
  const other = await start({ databaseUrl: server.config.databaseUrl!, secretKey })
  await provider({ cert: await certificate(9) })
  await look(server, other, server, other)
  expect(await told()).toHaveLength(1)
  await other.close()
})

test('without mail nothing is recorded, so that it is told once mail is there', async () => {
  await provider({ cert: await certificate(9) })
  await server.stop()
  const { mail: _mail, ...config } = server.config
  server = await startServer({ clock, config })
  await look()
  await server.stop()
  server = await start(config)
  await look()
  expect(await told()).toHaveLength(1)
})
