import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { openServer, send, startServer, testClock } from '../../../testing/index.ts'
import { type LicenceClaims, writeLicence } from './index.ts'

const day = 24 * 3_600_000
const clock = testClock()
const vendor = generateKeyPairSync('ed25519')
const stranger = generateKeyPairSync('ed25519')
const publicKey = vendor.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
const server = await openServer({ clock, config: { licenceKeys: [publicKey] } })
const admin = await server.build.user({ admin: true })

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

test('[ALIC-06] [API-49] [API-50] [ALIC-07] to inspect changes nothing, to apply puts it in force', async () => {
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

test('[AUDIT-19] licence, instance type, stack and settings leave entries with a label and their subject', async () => {
  const cells = (line: string) => [...line.matchAll(/"((?:[^"]|"")*)"/g)].map(([, text]) => text!.replaceAll('""', '"'))
  /** The newest entry of an event, as the file of the log has it. */
  async function logged(event: string) {
    const path = `/api/v1/admin/audit-log/export?format=csv&event=${event}`
    const file = await send(server.address, 'GET', path, { headers: { cookie: admin.cookie } })
    const [head, first] = file.text.split('\r\n').map(cells)
    const of = (column: string) => first![head!.indexOf(column)]!
    return [of('label'), JSON.parse(of('body')) as object]
  }
  const { client } = admin
  const { id } = await client.call('instanceType.create', { body: { name: 'Huge' } })
  const projectType = { id, name: 'Huge' }
  expect(await logged('platform.project-type.created')).toEqual(['Instance type created', { projectType }])
  await client.call('instanceType.update', { params: { instanceTypeId: id }, body: { description: 'For ovens' } })
  const described = { key: 'description', old: '', new: 'For ovens', dif: 'updated' }
  expect(await logged('platform.project-type.updated')).toEqual([
    'Instance type changed',
    { projectType, updates: [described] },
  ])
  const properties = { nodered: '5.0.7', memory: 256 }
  const made = await client.call('stack.create', { body: { name: 'huge-5', projectType: id, properties } })
  const stack = { id: made.id, name: 'huge-5' }
  expect(await logged('platform.stack.created')).toEqual(['Stack created', { stack }])
  await client.call('stack.update', { params: { stackId: made.id }, body: { label: 'Huge 5' } })
  const labelled = { key: 'label', old: '', new: 'Huge 5', dif: 'updated' }
  expect(await logged('platform.stack.updated')).toEqual(['Stack changed', { stack, updates: [labelled] }])
  await client.call('stack.delete', { params: { stackId: made.id } })
  expect(await logged('platform.stack.deleted')).toEqual(['Stack deleted', { stack }])
  await client.call('instanceType.delete', { params: { instanceTypeId: id } })
  expect(await logged('platform.project-type.deleted')).toEqual(['Instance type deleted', { projectType }])
  await client.call('settings.update', { body: { 'team:create': true } })
  const opened = { key: 'team:create', old: false, new: true, dif: 'updated' }
  expect(await logged('platform.settings.updated')).toEqual(['Platform settings changed', { updates: [opened] }])

  const text = licence({ id: 'L-5', users: 1 })
  const license = expect.objectContaining({ id: 'L-5', organisation: 'Example Bakery' }) as object
  await put(text, 'inspect')
  expect(await logged('platform.license.inspected')).toEqual(['License checked', { license }])
  await put(text, 'apply')
  expect(await logged('platform.license.applied')).toEqual(['License applied', { license }])
  await server.build.user()
  const { userCount } = await client.call('admin.stats')
  await server.app.services.stats.record()
  const info = { resource: 'users', limit: 1, count: userCount }
  expect(await logged('platform.license.overage')).toEqual(['License limit exceeded', { info }])
})
