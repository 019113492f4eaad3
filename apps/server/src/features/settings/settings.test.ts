import { stackPropertyFields } from '@app/contract'
import { expect, test } from 'vitest'
import { allOn, clientWith, openServer, startServer } from '../../../testing/index.ts'

const server = await openServer()

const open = {
  'user:signup': false,
  'user:reset-password': false,
  'user:tcs-required': false,
  'user:tcs-url': '',
  'user:tcs-date': null,
  'team:create': false,
  license: expect.objectContaining({ type: 'CE', expiring: false, expired: false }),
  features: { ...allOn, billing: false, sso: false, applicationRoles: false },
  analytics: { enabled: false },
  setup: true,
  'setup:instances': expect.stringMatching(/^http:\/\/\*\.localhost:\d+$/),
}

test('[API-10] everybody reads the public settings, people a little more, administrators the versions', async () => {
  const { build, config } = server
  expect(await build.anonymous.call('settings.get')).toEqual(open)
  const { gaps } = server.driver.capabilities
  const person = {
    ...open,
    base_url: config.baseUrl,
    email: false,
    'team:user:invite:external': false,
    'user:team:trial-mode:projectType': null,
    'driver:gaps': gaps,
    stacks: { properties: stackPropertyFields },
  }
  expect(await (await build.user()).client.call('settings.get')).toEqual(person)
  expect(await (await build.user({ admin: true })).client.call('settings.get')).toEqual({
    ...person,
    'user:team:auto-create': false,
    'user:team:trial-mode': false,
    'user:team:trial-mode:duration': 0,
    'audit:retention-days': null,
    'platform:stats:token': false,
    'telemetry:enabled': true,
    'platform:licensed': false,
    'platform:id': await server.app.services.licences.platformId(),
    'user:mfa-required': false,
    'user:sso': false,
    'team:application-roles': false,
    'version:forge': expect.stringMatching(/^\d+\.\d+\.\d+/),
    'version:node': process.version,
    'command:admin': 'npm run admin --',
  })
})

test('a token reads the public part only, and a false session the same as none', async () => {
  const { build, address } = server
  const owner = await build.user()
  const instance = await build.runningInstance(owner, await build.application(owner, await build.team(owner)))
  const token = clientWith(address, 'authorization', `Bearer ${await build.instanceToken(instance)}`)
  expect(await token.call('settings.get')).toEqual(open)
  expect(await clientWith(address, 'cookie', 'sid=no').call('settings.get')).toEqual(open)
})

test('a token of an administrator reads more than the public part only if it may change settings', async () => {
  const { build, address } = server
  const { client } = await build.user({ admin: true })
  const readBy = async (scopes: ('project:read' | 'settings:edit')[]) => {
    const { token } = await client.call('tokens.create', { body: { name: scopes[0]!, scopes, expiresAt: null } })
    return clientWith(address, 'authorization', `Bearer ${token}`).call('settings.get')
  }
  expect(await readBy(['project:read'])).toEqual(open)
  const [byToken, inSession] = [await readBy(['settings:edit']), await client.call('settings.get')]
  expect(Object.keys(byToken)).toEqual(Object.keys(inSession))
})

test('[ASET-09] the screens before the sign-in find every setting they use, and the address of the documentation', async () => {
  const manual = 'https://docs.example.com/'
  const branded = await startServer({ config: { documentationUrl: manual } })
  await branded.build.setting('branding:account:signUpTopBanner', '<b>Welcome</b><script>x()</script>')
  await branded.build.setting('branding:account:signUpLeftBanner', '<i>Hello</i>')
  expect(await branded.build.anonymous.call('settings.get')).toEqual({
    ...open,
    'branding:account:signUpTopBanner': '<b>Welcome</b>',
    'branding:account:signUpLeftBanner': '<i>Hello</i>',
    documentation_url: manual,
  })
  await branded.close()
})

test('where product analytics is on, everybody learns of its server, and the console may ask it', async () => {
  const analytics = { key: 'phc_example', url: 'https://eu.example.com' }
  const counted = await startServer({ config: { analytics } })
  expect((await counted.build.anonymous.call('settings.get')).analytics).toEqual({ enabled: true, ...analytics })
  await counted.close()
})

test('a changed setting shows at once, and only that one', async () => {
  await server.build.setting('team:create', true)
  await server.build.setting('team:create', true)
  expect(await server.build.anonymous.call('settings.get')).toEqual({ ...open, 'team:create': true })
})

test('a setting that no longer exists is passed over, one of another shape is named', async () => {
  const own = await startServer()
  const keep = (key: string, value: unknown) =>
    own.app.database.transact((tx) =>
      tx
        .insertInto('settings')
        .values({ key, value: JSON.stringify(value) })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: JSON.stringify(value) }))
        .execute(),
    )
  const { settings } = own.app.services
  const before = await settings.all()
  await keep('of:an:earlier:version', { of: 'any shape' })
  expect(await settings.all()).toEqual(before)
  await keep('user:signup', 'yes')
  await expect(settings.all()).rejects.toThrow('settings.value of user:signup cannot be read')
  await own.close()
})
