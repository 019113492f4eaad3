import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort, send, startServer, type TestServer, type TestUser } from '../../../../testing/index.ts'
import { baseDn, bindDn, bindPassword, hasSlapd, startSlapd } from '../../../../testing/slapd.ts'

// The first sign-in by a user name, which nobody here has yet: administrators set a directory up by it.
describe.runIf(hasSlapd)('with slapd', () => {
  let server: TestServer
  let admin: TestUser
  let slapd: Awaited<ReturnType<typeof startSlapd>>
  beforeAll(async () => {
    server = await startServer({ config: { trustProxy: ['loopback'] } })
    admin = await server.build.user({ admin: true })
    await server.build.setting('user:sso', true)
    slapd = await startSlapd()
  })
  afterAll(async () => {
    await slapd.stop()
    await server.close()
  })

  let serial = 0
  const login = (username: string, password: string) =>
    send(server.address, 'POST', '/account/login', {
      body: { username, password },
      headers: { 'x-forwarded-for': `10.8.0.${(serial += 1)}` },
    })
  /** An active directory, which differs from one that works by these options. */
  async function directory(changes: object = {}) {
    const body = { name: 'Ovens', type: 'ldap' as const, domainFilter: `@ovens${(serial += 1)}.example.com` }
    const params = { providerId: (await admin.client.call('sso.create', { body })).id }
    const update = async (options: object) =>
      admin.client.call('sso.update', { params, body: { active: true, options } })
    await update({ ldapUrl: slapd.url, baseDn, bindDn, bindPassword, createAccounts: true, ...changes })
    return {
      update,
      signIns: async () => (await admin.client.call('sso.signIns', { params })).signIns,
      end: async () => admin.client.call('sso.delete', { params, query: {} }),
    }
  }

  test('a directory that cannot be asked is told to whoever signs in by a new name, and kept with the reason', async () => {
    const away = await directory({ ldapUrl: `ldap://127.0.0.1:${await freePort()}` })
    const locked = await directory({ bindPassword: 'wrong' })
    const answer = await login('newcomer', 'password of newcomer')
    expect(answer).toMatchObject({ status: 401, json: { code: 'sso_required', error: 'The provider did not answer.' } })
    expect(await away.signIns()).toMatchObject([{ result: 'refused', reason: 'provider_unreachable' }])
    expect(await locked.signIns()).toMatchObject([
      { reason: 'provider_refused', detail: 'The directory does not accept the account that looks people up' },
    ])
    await Promise.all([away.end(), locked.end()])
  })

  test('a search that finds nobody, or more than one person, is kept without what was typed, five times an hour', async () => {
    const { update, signIns, end } = await directory({ userFilter: '(cn={username})' })
    const typed = 'a password in the wrong field'
    for (let n = 0; n < 7; n += 1)
      expect(await login(typed, 'guess')).toMatchObject({ status: 401, json: { code: 'unauthorized' } })
    const nobody = {
      reason: 'wrong_password',
      detail: 'The search found nobody with the name that was typed',
      sent: {},
    }
    expect(await signIns()).toEqual(Array.from({ length: 5 }, () => expect.objectContaining(nobody)))
    const log = await server.app.database.read.selectFrom('audit_log').selectAll().execute()
    expect(JSON.stringify([await signIns(), log])).not.toContain(typed)
    // The administrator who has just changed the options learns what became of it.
    await update({ userFilter: '(|(uid={username})(objectClass=inetOrgPerson))' })
    expect((await login('newcomer', 'guess')).status).toBe(401)
    const detail = 'The search found more than one person with the name that was typed'
    expect((await signIns())[0]).toMatchObject({ reason: 'wrong_password', detail })
    await end()
  })
})
