import { roles } from '@app/contract'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  clientWith,
  cookieOf,
  createAuthority,
  freePort,
  send,
  startServer,
  type TestServer,
  type TestUser,
} from '../../../../testing/index.ts'
import { baseDn, bindDn, bindPassword, group, hasSlapd, startSlapd } from '../../../../testing/slapd.ts'
import { filled } from './ldap.client.ts'

const domain = '@ovens.example.com'
let server: TestServer
let admin: TestUser
let slapd: Awaited<ReturnType<typeof startSlapd>>
let id: string

test('what somebody types into a filter means nothing but itself', () => {
  const typed = '*)(uid=*))(|(a=\\\0$&'
  expect(filled('(uid={username})', 'username', typed)).toBe('(uid=\\2a\\29\\28uid=\\2a\\29\\29\\28|\\28a=\\5c\\00$&)')
})

// Where slapd is not installed these are left out, and the list of tests says so; `npm test` installs it.
describe.runIf(hasSlapd)('with slapd', () => {
  beforeAll(async () => {
    server = await startServer()
    admin = await server.build.user({ admin: true })
    await server.build.setting('user:sso', true)
    slapd = await startSlapd()
    const body = { name: 'Ovens', type: 'ldap' as const, domainFilter: domain }
    id = (await admin.client.call('sso.create', { body })).id
    await update({ ldapUrl: slapd.url, baseDn, bindDn, bindPassword, createAccounts: true }, true)
  })
  afterAll(async () => {
    await slapd.stop()
    await server.close()
  })

  const update = (options: object, active?: boolean) =>
    admin.client.call('sso.update', {
      params: { providerId: id },
      body: { options, ...(active === undefined ? {} : { active }) },
    })
  const login = (username: string, password: string) =>
    send(server.address, 'POST', '/account/login', { body: { username, password } })
  const signIns = async () => (await admin.client.call('sso.signIns', { params: { providerId: id } })).signIns
  const whoIs = (answer: Awaited<ReturnType<typeof login>>) => {
    const { name } = server.app.services.sessionCookie
    return clientWith(server.address, 'cookie', `${name}=${cookieOf(answer, name)}`).call('account.get')
  }

  test('people sign in with the name or the address and the password of the directory', async () => {
    const first = await whoIs(await login('ada', 'password of ada'))
    expect(first).toMatchObject({ username: 'ada', name: 'Ada Lovelace', email: `ada${domain}`, sso_enabled: true })
    expect((await whoIs(await login(`ada${domain}`, 'password of ada'))).id).toBe(first.id)
    expect((await login('ada', 'password of bob')).status).toBe(401)
    expect((await signIns()).map(({ result }) => result)).toEqual(['refused', 'signed-in', 'signed-in'])
    const { read } = server.app.database
    const kept = await Promise.all([
      read.selectFrom('sso_providers').selectAll().execute(),
      read.selectFrom('sso_sign_ins').selectAll().execute(),
      read.selectFrom('audit_log').selectAll().execute(),
    ])
    for (const secret of [bindPassword, 'password of']) expect(JSON.stringify(kept)).not.toContain(secret)
  })

  test('no name finds somebody else, and no empty password is right', async () => {
    for (const name of ['*', 'b*', 'bob)(uid=*', '*)(|(uid=*', 'uid=bob', `*${domain}`, 'bob\u0000'])
      expect((await login(name, 'password of bob')).status).toBeGreaterThanOrEqual(400)
    const { read } = server.app.database
    expect(await read.selectFrom('users').select('id').where('username', '=', 'bob').execute()).toEqual([])
    expect((await login(`bob${domain}`, '')).json).toMatchObject({ code: 'password_required' })
  })

  test('groups come from the entry of the person, or from a search', async () => {
    await update({ groupsAttribute: 'ou' })
    await login('ada', 'password of ada')
    expect((await signIns())[0]!.sent.groups).toEqual(['bakers'])
    await update({ groupsBaseDn: `ou=groups,${baseDn}` })
    await login('ada', 'password of ada')
    expect((await signIns())[0]!.sent.groups).toEqual([`cn=bakers,ou=groups,${baseDn}`])
  })

  test('a person may be in thousands of groups, and where the directory sends a part of them rules change nothing', async () => {
    const names = Array.from({ length: 1_100 }, (_, n) => `shift-${n}`)
    const many = await startSlapd(
      undefined,
      names.map((name) => group(name, 'dora')),
    )
    onTestFinished(async () => {
      await update({ ldapUrl: slapd.url, bindDn, bindPassword, groupsBaseDn: '' })
      await many.stop()
    })
    await update({ ldapUrl: many.url, groupsBaseDn: `ou=groups,${baseDn}` })
    const team = await server.build.team(admin)
    const rules = [{ group: `cn=shift-1099,ou=groups,${baseDn}`, team: team.id, role: roles.viewer }]
    await admin.client.call('ssoRules.replace', { params: { providerId: id }, body: { rules } })
    expect((await login('dora', 'password of dora')).status).toBe(200)
    expect((await signIns())[0]!.applied).toEqual([expect.stringMatching(/^Joins .* as Viewer/)])
    // The usual limit of slapd is 500 entries, for all but the account that it is set up with.
    await update({ bindDn: '', bindPassword: '' })
    expect((await login('dora', 'password of dora')).status).toBe(200)
    const [last] = await signIns()
    expect(last).toMatchObject({ result: 'signed-in', groups: null })
    expect(last!.applied).toEqual(['The directory sent only a part of the groups, so the rules changed nothing.'])
    await admin.client.call('ssoRules.replace', { params: { providerId: id }, body: { rules: [] } })
  })

  test('guesses are bounded', async () => {
    for (let n = 0; n < 10; n += 1) expect((await login(`carl${domain}`, 'wrong')).status).toBe(401)
    expect((await login(`carl${domain}`, 'password of carl')).status).toBe(429)
  })

  test('STARTTLS and ldaps need a certificate of the given authority', async () => {
    const authority = createAuthority()
    authority.issue(['localhost'])
    const secure = await startSlapd(authority.files)
    onTestFinished(() => secure.stop())
    // Somebody new: the other directory has other ids for the same people.
    const reason = async () => (await signIns())[0]!.reason
    for (const options of [
      { ldapUrl: secure.url, startTls: true },
      { ldapUrl: secure.secureUrl, startTls: false },
    ]) {
      await update({ ...options, ldapCa: '' })
      expect((await login(`bob${domain}`, 'password of bob')).status).toBe(401)
      expect(await reason()).toBe('provider_unreachable')
      await update({ ...options, ldapCa: authority.ca })
      const answer = await login(`bob${domain}`, 'password of bob')
      expect([answer.status, (await signIns())[0]!.detail]).toEqual([200, undefined])
    }
  })

  test('a directory that does not answer, or does not know our account, keeps nobody local out', async () => {
    await update({ ldapUrl: slapd.url, startTls: false, bindPassword: 'wrong' })
    expect((await login(`ada${domain}`, 'password of ada')).json).toMatchObject({ code: 'sso_required' })
    expect((await signIns())[0]).toMatchObject({ reason: 'provider_refused' })
    await update({ ldapUrl: `ldap://127.0.0.1:${await freePort()}` })
    expect((await login(`ada${domain}`, 'password of ada')).json).toMatchObject({ code: 'sso_required' })
    expect((await signIns())[0]).toMatchObject({ reason: 'provider_unreachable' })
    expect((await login(admin.username, 'correct horse battery')).status).toBe(200)
  })

  test('options that would send passwords in the clear, or find nobody, are refused', async () => {
    await update({ startTls: false })
    for (const options of [
      { ldapUrl: 'ldap://ldap.example.com' },
      { userFilter: '(uid=ada)' },
      { groupsFilter: '(member=x)' },
      { baseDn: '' },
      { ldapUrl: 'https://ldap.example.com' },
    ])
      await expect(update(options)).rejects.toMatchObject({ status: 400 })
  })
})
