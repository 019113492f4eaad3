import { roles, type SsoRuleInput } from '@app/contract'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { openServer, openSignOn, type TestServer } from '../../../../testing/index.ts'

let team: Awaited<ReturnType<TestServer['build']['team']>>
let serial = 0

const server = await openServer()
const admin = await server.build.user({ admin: true })
const owner = await server.build.user()
const sso = await openSignOn(server, admin, 'rules.example.com')
afterAll(async () => {
  await sso.close()
})
beforeEach(async () => {
  serial += 1
  team = await server.build.team(owner)
})

type Rules = SsoRuleInput[]
const save = (rules: Rules) => admin.client.call('ssoRules.replace', { params: sso.params, body: { rules } })
/** Signs a person of this test in, with these groups; `undefined`: the provider says nothing of groups. */
const signIn = (name: string, groups: string[] | undefined) => sso.signIn(`${name}${serial}`, groups)
const roleOf = async (userId: string) => (await server.app.services.teams.roleOf(team.id, userId)) ?? null
/** Makes somebody a member by hand. */
const put = (userId: string, role: number) =>
  server.app.database.transact((tx) => server.app.services.members.add(tx, [{ teamId: team.id, userId, role }]))
const events = async (scope: string) =>
  (
    await server.app.database.read
      .selectFrom('audit_log')
      .select(['event', 'trigger_type'])
      .where('scope_id', '=', scope)
      .orderBy('id')
      .execute()
  ).map(({ event, trigger_type: by }) => [event, by])

test('groups become a role, another role, and the end of the membership, each told and in the audit log', async () => {
  await save([
    { group: 'bakers', team: team.id, role: roles.member },
    { group: 'masters', team: team.id, role: roles.owner },
  ])
  const first = await signIn('ada', ['bakers', 'night shift'])
  expect(await roleOf(first.user.id)).toBe(roles.member)
  expect(first.kept).toMatchObject({
    groups: ['bakers', 'night shift'],
    applied: [`Joins “${team.name}” as Member, by the group “bakers”.`],
  })
  const second = await signIn('ada', ['bakers', 'masters'])
  expect([await roleOf(first.user.id), second.kept.applied]).toEqual([
    roles.owner,
    [`Becomes Owner of “${team.name}”, by the group “masters”.`],
  ])
  expect((await signIn('ada', ['bakers', 'masters'])).kept.applied).toEqual([])
  // A provider that says nothing of groups takes nothing away.
  const silent = await signIn('ada', undefined)
  expect([await roleOf(first.user.id), silent.kept.groups]).toEqual([roles.owner, null])
  expect(silent.kept.applied).toEqual(['The provider sent no groups, so the rules changed nothing.'])
  const last = await signIn('ada', [])
  expect([await roleOf(first.user.id), last.kept.applied]).toEqual([
    null,
    [`Leaves “${team.name}”: no group gives a role there any more.`],
  ])
  expect(await events(team.id)).toEqual([
    ['team.created', 'user'],
    ['team.user.added', 'system'],
    ['team.user.role-changed', 'system'],
    ['team.user.removed', 'system'],
  ])
})

test('a role given by hand stays, and so does the only owner of a team', async () => {
  const { user } = await signIn('bob', [])
  await save([{ group: 'masters', team: team.id, role: roles.owner }])
  await put(user.id, roles.viewer)
  expect((await signIn('bob', ['masters'])).kept.applied).toEqual([
    `Stays Viewer of “${team.name}”: the role was given by hand.`,
  ])
  await signIn('bob', [])
  expect(await roleOf(user.id)).toBe(roles.viewer)

  const { user: eve } = await signIn('eve', ['masters'])
  await owner.client.call('team.removeMember', { params: { teamId: team.id, userId: owner.id } })
  const only = [`Stays Owner of “${team.name}”: it has no other owner.`]
  expect((await signIn('eve', [])).kept.applied).toEqual(only)
  expect(await roleOf(eve.id)).toBe(roles.owner)
  // As soon as there is another one, the next sign-in takes the role back.
  await put(owner.id, roles.owner)
  await signIn('eve', [])
  expect(await roleOf(eve.id)).toBeNull()
})

test('the right of administrators follows a group, and its end closes what was open', async () => {
  await save([{ group: 'heads', team: null, role: roles.admin }])
  const first = await signIn('carl', ['heads'])
  expect(first.kept.applied).toEqual(['Becomes an administrator, by the group “heads”.'])
  expect((await first.client.call('user.list', { query: {} })).count).toBeGreaterThan(1)
  const second = await signIn('carl', [])
  expect(second.kept.applied).toEqual(['Is no administrator any more: no group gives it.'])
  await expect(first.client.call('account.get')).rejects.toMatchObject({ status: 401 })
  await expect(second.client.call('user.list', { query: {} })).rejects.toMatchObject({ status: 403 })
  expect(
    (await events(first.user.id)).filter(([event, by]) => event === 'users.updated-user' && by === 'system'),
  ).toHaveLength(2)
  // Somebody who is an administrator anyway keeps the right without the group.
  const { user } = await signIn('dora', [])
  await admin.client.call('user.update', { params: { userId: user.id }, body: { admin: true } })
  await signIn('dora', ['heads'])
  expect((await signIn('dora', [])).user).toMatchObject({ admin: true })
})

test('a full team takes nobody, and says so', async () => {
  const params = { teamTypeId: await server.build.teamType() }
  const limit = (properties: { userLimit?: number }) =>
    admin.client.call('teamType.update', { params, body: { properties } })
  await save([{ group: 'bakers', team: team.id, role: roles.member }])
  await limit({ userLimit: 1 })
  expect((await signIn('fay', ['bakers'])).kept.applied).toEqual([`Does not join “${team.name}”: the team is full.`])
  await limit({})
  const { user, kept } = await signIn('fay', ['bakers'])
  expect([await roleOf(user.id), kept.applied]).toEqual([
    roles.member,
    [`Joins “${team.name}” as Member, by the group “bakers”.`],
  ])
})

test('rules are tried on a kept sign-in without a change, and saved as they are', async () => {
  await save([])
  const { user, kept } = await signIn('gina', ['bakers'])
  const rules: Rules = [{ group: 'bakers', team: team.id, role: roles.viewer }]
  const trial = (signIn: string, what = rules) =>
    admin.client.call('ssoRules.try', { params: sso.params, body: { signIn, rules: what } })
  expect((await trial(kept.id)).effects).toEqual([`Joins “${team.name}” as Viewer, by the group “bakers”.`])
  expect(await roleOf(user.id)).toBeNull()
  const { kept: silent } = await signIn('gina', undefined)
  const nothing = 'No groups were kept of this sign-in, so the rules would change nothing.'
  expect((await trial(silent.id)).effects).toEqual([nothing])
  await expect(trial('none')).rejects.toMatchObject({ status: 400, fields: { signIn: expect.any(String) } })
  expect((await save(rules)).rules).toEqual([
    { group: 'bakers', team: { id: team.id, name: team.name }, application: null, role: roles.viewer },
  ])
  expect((await admin.client.call('ssoRules.list', { params: sso.params })).count).toBe(1)
  expect(await events('platform')).toContainEqual(['platform.sso.rules.updated', 'user'])
})

test('a rule of no team, a team with the right of administrators and the reverse are refused', async () => {
  await save([])
  const faulty: Rules = [
    { group: 'a', team: 'none', role: roles.member },
    { group: 'a', team: team.id, role: roles.admin },
    { group: 'a', team: null, role: roles.owner },
  ]
  for (const [at, field] of ['rules.0.team', 'rules.0.role', 'rules.0.role'].entries())
    await expect(save([faulty[at]!])).rejects.toMatchObject({ status: 400, fields: { [field]: expect.any(String) } })
  expect((await admin.client.call('ssoRules.list', { params: sso.params })).rules).toEqual([])
})

test('a deleted team takes its rules with it', async () => {
  await save([{ group: 'bakers', team: team.id, role: roles.member }])
  await owner.client.call('team.delete', { params: { teamId: team.id } })
  expect((await admin.client.call('ssoRules.list', { params: sso.params })).rules).toEqual([])
})
