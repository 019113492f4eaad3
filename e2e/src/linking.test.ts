import { roles } from '@app/contract'
import { baseDn, bindDn, bindPassword, hasSlapd, startSlapd } from '@app/server/testing/providers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { admin, button, createTeam, field, openConsole, screens, sees, shot, signInThrough } from './harness/index.ts'

// Accounts and roles that were there before a provider, or come from its directory without a sign-in.
const { platform, visitors } = await openConsole()
const domain = 'ovens.example.com'
const boss = await platform().people.signIn(admin.username, admin.password)
await boss.client.call('settings.update', { body: { 'user:sso': true } })

// Where slapd is not installed this is left out, and the list of tests says so; `npm test` installs it.
describe.runIf(hasSlapd)('with slapd', () => {
  test('an account that was there is asked for its password once, then its directory signs it in', async () => {
    const slapd = await startSlapd()
    onTestFinished(() => slapd.stop())
    const userId = platform().people.add('dora')
    const email = `dora@${domain}`
    await boss.client.call('user.update', { params: { userId }, body: { email, email_verified: true } })
    const body = { name: 'Ovens', type: 'ldap' as const, domainFilter: `@${domain}` }
    const { id: providerId } = await boss.client.call('sso.create', { body })
    const options = { ldapUrl: slapd.url, baseDn, bindDn, bindPassword, createAccounts: true }
    await boss.client.call('sso.update', { params: { providerId }, body: { active: true, options } })

    const visitor = await visitors.open(platform())
    visitor.expectProblem(/401/)
    const { page } = visitor
    await page.goto('/account/security/sessions')
    await signInThrough(page, email, 'password of dora')
    await sees(page.getByText(`Ovens has signed you in. The account dora has the address ${email}.`, { exact: false }))
    await sees(field(page, 'Password').and(page.locator(':focus')))
    await shot(page, 'sso-link')
    await field(page, 'Password').fill('password of dora')
    await button(page, 'Link and Login').click()
    await sees(page.getByText('This is not your password'))
    await field(page, 'Password').fill(admin.password)
    await button(page, 'Link and Login').click()
    await sees(screens.heading(page, 'Security'))

    const second = (await visitors.open(platform())).page
    await second.goto('/account/security/sessions')
    await signInThrough(second, email, 'password of dora')
    await sees(screens.heading(second, 'Security'))
    const { signIns } = await boss.client.call('sso.signIns', { params: { providerId } })
    expect(signIns.map(({ result, user }) => [result, user?.id])).toEqual([
      ['signed-in', userId],
      ['signed-in', userId],
      ['linking', userId],
    ])
  })
})

test('a directory puts a person into a team by a group, before any sign-in, and takes them out', async () => {
  platform().people.add('bob')
  const owner = await platform().people.signIn('bob', admin.password)
  const { team } = await createTeam(owner.client, 'Night Bakery')
  const provider = { name: 'Night Login', type: 'oidc' as const, domainFilter: '@night.example.com' }
  const { id: providerId } = await boss.client.call('sso.create', { body: provider })
  await boss.client.call('sso.update', {
    params: { providerId },
    body: { active: true, options: { issuer: 'https://idp.invalid', clientId: 'forge', clientSecret: 'a secret' } },
  })
  const rules = [{ group: 'Night shift', team: team.id, role: roles.member }]
  await boss.client.call('ssoRules.replace', { params: { providerId }, body: { rules } })
  const { token } = await boss.client.call('scim.createToken', {
    body: { name: 'Night', directory: 'Night', provider: providerId, expiresAt: null },
  })
  const scim = async (method: string, path: string, body: object) => {
    const reply = await fetch(`http://127.0.0.1:${platform().port}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify(body),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(text)
    return (text === '' ? {} : JSON.parse(text)) as { id: string }
  }
  const { page } = await visitors.open(platform(), owner)
  await page.goto(`/team/${team.slug}/members/general`)
  await sees(page.getByRole('row', { name: /bob/i }))
  const nora = await scim('POST', '/Users', { userName: 'nora@night.example.com', displayName: 'Nora Night' })
  const members = [{ value: nora.id }]
  const { id } = await scim('POST', '/Groups', { displayName: 'Night shift', members })
  await expect
    .poll(async () => {
      await page.reload()
      await sees(page.getByRole('row', { name: /bob/i }))
      return page.getByRole('row', { name: /Nora Night/ }).count()
    })
    .toBe(1)

  await scim('PATCH', `/Groups/${id}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'remove', path: `members[value eq "${nora.id}"]` }],
  })
  await expect
    .poll(async () => {
      await page.reload()
      await sees(page.getByRole('row', { name: /bob/i }))
      return page.getByRole('row', { name: /Nora Night/ }).count()
    })
    .toBe(0)

  const boss2 = (await visitors.open(platform(), boss)).page
  await boss2.goto(`/admin/settings/sso/${providerId}`)
  const changes = boss2.getByRole('row', { name: /nora.*Groups changed/i })
  await sees(changes.first())
  await changes.first().click()
  await sees(boss2.getByText(`Leaves “${team.name}”: no group gives a role there any more.`))
  await shot(boss2, 'sso-change-by-directory')
})
