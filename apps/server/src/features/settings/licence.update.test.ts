import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send, startServer, testClock, type TestServer, type TestUser } from '../../../testing/index.ts'
import { type LicenceClaims, writeLicence } from './index.ts'

const day = 24 * 3_600_000
const clock = testClock()
const vendor = generateKeyPairSync('ed25519')
const stranger = generateKeyPairSync('ed25519')
const publicKey = vendor.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
let server: TestServer
let admin: TestUser
beforeAll(async () => {
  server = await startServer({ clock, config: { licenceKeys: [publicKey] } })
  admin = await server.build.user({ admin: true })
})
afterAll(() => server.close())

const at = (offset: number) => new Date(clock.now() + offset).toISOString()
const claims = (more: Partial<LicenceClaims> = {}): LicenceClaims => ({
  id: 'L-1',
  organisation: 'Example Bakery',
  tier: 'enterprise',
  validFrom: at(-day),
  expiresAt: at(100 * day),
  ...more,
})
const licence = (more: Partial<LicenceClaims> = {}, key = vendor.privateKey) => writeLicence(claims(more), key)
const put = (license: string, action: string, method: 'PUT' | 'POST' = 'PUT', as = admin) =>
  send(server.address, method, '/api/v1/admin/license', { headers: { cookie: as.cookie }, body: { license, action } })
const current = () => admin.client.call('licence.get')
const entries = async (event: string) => (await admin.client.call('auditLog.list', { query: { event } })).log

test('[ALIC-06] [API-49] [API-50] [ALIC-07] [AUDIT-19] to inspect changes nothing, to apply puts it in force', async () => {
  expect(await current()).toEqual({})
  const text = licence({ note: 'Renewed', users: 5 })
  const details = {
    id: 'L-1',
    organisation: 'Example Bakery',
    tier: 'enterprise',
    validFrom: at(-day),
    expiresAt: at(100 * day),
    expires: at(100 * day),
    expired: false,
    note: 'Renewed',
    users: 5,
    teams: null,
    projects: null,
    devices: null,
  }
  expect(await put(text, 'inspect')).toMatchObject({ status: 200, json: details })
  expect(await current()).toEqual({})
  expect((await admin.client.call('settings.get')).license.type).toBe('CE')
  expect(await put(text, 'apply', 'POST')).toMatchObject({ status: 200, json: details })
  expect(await current()).toEqual(details)
  expect(await admin.client.call('settings.get')).toMatchObject({
    license: { type: 'EE', expiring: false, daysRemaining: 100 },
    'platform:licensed': true,
  })
  expect((await entries('platform.license.inspected'))[0]?.body).toEqual({ license: details })
  expect((await entries('platform.license.applied'))[0]?.body).toEqual({ license: details })
})

test('[ALIC-06] [ADM-17] [API-50] a development licence says so, and the newest applied one holds', async () => {
  await put(licence({ dev: true, id: 'L-2' }), 'apply')
  expect(await current()).toMatchObject({ id: 'L-2', dev: true })
  expect((await admin.client.call('settings.get')).license.type).toBe('DEV')
})

const altered = (text: string) => {
  const [prefix, payload, signature] = text.split('.')
  const changed = Buffer.from(payload!, 'base64url').toString().replace('Example Bakery', 'Somebody Else!')
  return [prefix, Buffer.from(changed).toString('base64url'), signature].join('.')
}
const bad: [string, () => string, RegExp][] = [
  ['of another platform', () => licence({ platform: 'another' }), /for another platform \(another\)/],
  ['that has expired', () => licence({ validFrom: at(-9 * day), expiresAt: at(-1) }), /has expired/],
  ['that is not valid yet', () => licence({ validFrom: at(day) }), /not valid yet/],
  ['that was altered', () => altered(licence()), /was altered/],
  ['of which the signature was cut', () => licence().slice(0, -8), /was altered/],
  ['signed by somebody else', () => licence({}, stranger.privateKey), /not signed by the vendor/],
  ['without its signature', () => licence().split('.').slice(0, 2).join('.'), /not a license/],
  ['that is none', () => '<html>hello</html>', /not a license/],
  ['that is a picture', () => '\u0000PNG\u001a', /not a license/],
]
test.each(bad)(
  '[API-50] [ALIC-07] a licence %s is refused with the reason, and what holds goes on',
  async (_name, text, reason) => {
    await put(licence({ id: 'L-3' }), 'apply')
    for (const action of ['inspect', 'apply']) {
      const refused = await put(text(), action)
      expect(refused).toMatchObject({
        status: 400,
        json: { code: 'invalid_license', fields: { license: expect.stringMatching(reason) } },
      })
    }
    expect(await current()).toMatchObject({ id: 'L-3' })
    expect((await entries('platform.license.applied'))[0]?.body).toMatchObject({
      error: { code: 'invalid_license', message: expect.stringMatching(reason) as string },
    })
  },
)

test('[ALIC-04] [ALIC-07] an empty or oversized licence, and an unknown action, are refused', async () => {
  expect((await put(' ', 'inspect')).json).toMatchObject({
    code: 'invalid_request',
    fields: { license: 'Enter a license' },
  })
  expect((await put('x'.repeat(20_000), 'inspect')).json).toMatchObject({ code: 'invalid_request' })
  expect((await put('x'.repeat(2_000_000), 'inspect')).status).toBe(413)
  expect((await put(licence(), 'sell')).json.code).toBe('invalid_license_action')
})

test('a licence for this very platform holds', async () => {
  const platform = await server.app.services.licences.platformId()
  expect(await put(licence({ platform, id: 'L-4' }), 'apply')).toMatchObject({ status: 200, json: { platform } })
})

test('[PERM-21] owners of teams neither read nor change it', async () => {
  const user = await server.build.user()
  await expect(user.client.call('licence.get')).rejects.toMatchObject({ status: 403 })
  expect((await put(licence(), 'inspect', 'PUT', user)).status).toBe(403)
})

test('without a key of a vendor no licence is taken', async () => {
  const bare = await startServer({ clock })
  const boss = await bare.build.user({ admin: true })
  await expect(
    boss.client.call('licence.update', { body: { license: licence(), action: 'apply' } }),
  ).rejects.toMatchObject({ code: 'invalid_license', fields: { license: expect.stringContaining('no key') } })
  await bare.close()
})
