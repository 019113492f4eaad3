import { expect, test } from 'vitest'
import { openMailServer, openServer, send, startServer, testClock } from '../../../testing/index.ts'

const clock = testClock()
const mails = await openMailServer()
const server = await openServer({ clock, config: { mail: mails.mail } })
const admin = await server.build.user({ admin: true })

const put = (body: object, as = admin, at = server) =>
  send(at.address, 'PUT', '/api/v1/settings', { headers: { cookie: as.cookie }, body })
const read = () => admin.client.call('settings.get')

test('[TCS-01] [TCS-06] terms are dated when their address changes, and anew when everybody is to accept again', async () => {
  const url = 'https://example.com/terms'
  expect((await put({ 'user:tcs-required': true, 'user:tcs-url': url })).json).toEqual({ status: 'okay' })
  const first = new Date(clock.now()).toISOString()
  expect(await read()).toMatchObject({ 'user:tcs-required': true, 'user:tcs-url': url, 'user:tcs-date': first })
  const user = await server.build.user()
  await user.client.call('account.update', { body: { tcs_accepted: true } })
  const accepted = async () => (await user.client.call('account.get')).tcs_accepted!
  expect((await accepted()) >= first).toBe(true)
  clock.turn(1000)
  await put({ 'user:tcs-url': url })
  expect((await read())['user:tcs-date']).toBe(first)
  await put({ 'user:tcs-updated': true })
  expect((await read())['user:tcs-date']! > (await accepted())).toBe(true)
  await put({ 'user:tcs-required': false })
  expect(await user.client.call('account.get')).not.toHaveProperty('tcs_accepted')
})

test('[TCS-07] terms that stand nowhere cannot be required, and nothing of such a change is stored', async () => {
  const refused = await put({ 'user:tcs-required': true, 'user:tcs-url': '', 'team:create': true })
  expect(refused).toMatchObject({
    status: 400,
    json: {
      code: 'invalid_request',
      fields: { 'user:tcs-url': 'A URL for the Terms & Conditions must be set.' },
    },
  })
  expect((await read())['team:create']).toBe(false)
})

test.each(['javascript:alert(1)', 'not an address', '//evil.example', 'https://x.example/"><script>'])(
  '[TCS-05] %s is no address of terms',
  async (url) => {
    expect((await put({ 'user:tcs-url': url })).json.fields).toHaveProperty(['user:tcs-url'])
  },
)

test.each([
  { 'setup:initialised': false },
  { license: null },
  { 'user:tcs-date': '2020-01-01T00:00:00.000Z' },
  { x: 1 },
])('what is not writable refuses the whole change: %o', async (body) => {
  expect((await put({ ...body, 'team:create': true })).json.code).toBe('invalid_request')
  expect((await read())['team:create']).toBe(false)
})

test('[API-11] one key that is put changes, and every other stays', async () => {
  const before = await read()
  expect((await put({ 'user:signup': !before['user:signup'] })).json).toEqual({ status: 'okay' })
  expect(await read()).toEqual({ ...before, 'user:signup': !before['user:signup'] })
  await put({ 'user:signup': before['user:signup'] })
  expect(await read()).toEqual(before)
})

test('[PERM-20] administrators alone, and one entry in the log with old and new values', async () => {
  expect((await put({ 'team:create': true }, await server.build.user())).status).toBe(403)
  await put({ 'team:create': true, 'user:signup': true })
  await put({ 'team:create': true })
  const entries = await server.app.database.read
    .selectFrom('audit_log')
    .selectAll()
    .where('event', '=', 'platform.settings.updated')
    .orderBy('id', 'desc')
    .execute()
  expect(JSON.parse(entries[0]!.body)).toEqual({
    updates: expect.arrayContaining([
      { key: 'team:create', old: false, new: true, dif: 'updated' },
      { key: 'user:signup', old: false, new: true, dif: 'updated' },
    ]),
  })
})

test('[ASET-05] [ASET-07] [ASET-08] [API-11] an administrator reads each setting of the platform, and a change of one leaves the others', async () => {
  await put({ 'user:signup': false, 'team:create': false, 'user:tcs-required': false, 'user:tcs-url': '' })
  const url = 'https://example.com/the-terms'
  expect((await put({ 'user:tcs-url': url })).status).toBe(200)
  expect(await read()).toMatchObject({ 'user:tcs-url': url, 'user:tcs-date': new Date(clock.now()).toISOString() })
  const editable = {
    'user:signup': true,
    'user:reset-password': true,
    'user:team:auto-create': true,
    'team:create': true,
    'team:user:invite:external': true,
    'user:tcs-required': true,
    'telemetry:enabled': false,
    'branding:account:signUpTopBanner': '<b>Welcome</b>',
    'branding:account:signUpLeftBanner': '<i>Hello</i>',
  }
  for (const [key, value] of Object.entries(editable)) {
    const before = await read()
    expect((await put({ [key]: value })).json).toEqual({ status: 'okay' })
    expect(before[key as keyof typeof before]).not.toEqual(value)
    expect(await read()).toEqual({ ...before, [key]: value })
  }
  await put({ 'user:tcs-required': false })
  expect(await read()).toMatchObject({
    'platform:stats:token': false,
    'platform:licensed': false,
    email: { from: mails.mail.from, smtp: { host: '127.0.0.1', secure: false } },
    stacks: { properties: { nodered: { label: expect.any(String) }, memory: { label: expect.any(String) } } },
    'version:forge': expect.any(String),
    'version:node': process.version,
    'command:admin': 'npm run admin --',
    base_url: server.config.baseUrl,
    features: expect.any(Object),
  })
  for (const key of ['platform:stats:token', 'platform:licensed', 'telemetry:told'])
    expect((await put({ [key]: true })).json.code).toBe('invalid_request')
})

test('[ASET-10] with a licence the option of telemetry counts for nothing', async () => {
  expect((await read())['telemetry:enabled']).toBe(false)
  await server.build.setting('license', { type: 'EE', expiresAt: clock.now() + 1 })
  expect((await put({ 'telemetry:enabled': false })).status).toBe(200)
  expect(await read()).toMatchObject({ 'telemetry:enabled': true, 'platform:licensed': true })
  await server.build.setting('license', null)
  expect((await read())['telemetry:enabled']).toBe(false)
})

test('without mail what needs it cannot be switched on, and can be switched off', async () => {
  const silent = await startServer()
  const boss = await silent.build.user({ admin: true })
  for (const key of ['user:signup', 'user:reset-password', 'team:user:invite:external']) {
    expect((await put({ [key]: true }, boss, silent)).json).toMatchObject({
      code: 'invalid_request',
      fields: { [key]: 'This option requires email to be configured' },
    })
    expect((await put({ [key]: false }, boss, silent)).status).toBe(200)
  }
  await silent.close()
})
