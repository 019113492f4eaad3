import { limited, roles, type SsoRuleInput } from '@app/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openPlatform, openSignOn, openStream } from '../../../../testing/index.ts'

const { server, admin, owner } = await openPlatform()
const { build } = server
const { read } = server.app.database
type Application = Awaited<ReturnType<typeof build.application>>

let sso: Awaited<ReturnType<typeof openSignOn>>
let team: Awaited<ReturnType<typeof build.team>>
let line: Application
let other: Application
let serial = 0

beforeAll(async () => {
  sso = await openSignOn(server, admin, 'fitters.example.com')
})
afterAll(() => sso.close())
beforeEach(async () => {
  serial += 1
  team = await build.team(owner)
  line = await build.application(owner, team)
  other = await build.application(owner, team)
  await build.setting('team:application-roles', true)
})

const save = (rules: SsoRuleInput[], by = sso) =>
  admin.client.call('ssoRules.replace', { params: by.params, body: { rules } })
const signIn = (name: string, groups: string[], by = sso) => by.signIn(`${name}${serial}`, groups)
const onLine = (group: string, role: SsoRuleInput['role'] = roles.member): SsoRuleInput => ({
  group,
  team: team.id,
  application: line.id,
  role,
})
const onTeam = (group: string, role: SsoRuleInput['role']): SsoRuleInput => ({ group, team: team.id, role })
/** The role of a person in the team, and those in its applications. */
async function standing({ id }: { id: string }) {
  const { members } = await owner.client.call('team.members', { params: { teamId: team.id } })
  const { members: own } = await owner.client.call('applicationMember.list', { params: { teamId: team.id } })
  const inApplications = own.filter((one) => one.id === id).map((one) => [one.application.id, one.role])
  return [members.find((one) => one.id === id)?.role ?? null, inApplications]
}
const events = async () => {
  const { log } = await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { limit: 20 } })
  return log.filter(({ trigger }) => trigger.type === 'system').toReversed()
}
const inTeam = (userId: string) => ({ params: { teamId: team.id, userId } })
const inLine = (userId: string) => ({ params: { teamId: team.id, applicationId: line.id, userId } })
const by = (group: string) => `, by the group “${group}”.`
const place = () => `“${line.name}” of “${team.name}”`
const joins = (role = 'Limited', group = 'fitters') => `Joins “${team.name}” as ${role}${by(group)}`
const becomes = (role: string, group = 'fitters') => `Becomes ${role} in ${place()}${by(group)}`
const leaves = () => `Leaves “${team.name}”: no group gives a role there any more.`
const byHand = (role: string) => `Stays ${role} in ${place()}: the role was given by hand.`

test('a group lets somebody into one application alone, and its end takes application and membership away at once', async () => {
  await save([onLine('fitters'), onLine('watchers', roles.viewer)])
  const { user, client, cookie, kept } = await signIn('carla', ['fitters'])
  expect(kept.applied).toEqual([joins(), becomes('Member')])
  expect(await standing(user)).toEqual([limited, [[line.id, roles.member]]])
  const seen = await client.call('application.listOfTeam', { params: { teamId: team.id } })
  expect(seen.applications.map(({ id }) => id)).toEqual([line.id])
  await expect(client.call('application.get', { params: { applicationId: other.id } })).rejects.toMatchObject({
    status: 404,
  })
  const stream = await openStream(server.address, { cookie })

  expect((await signIn('carla', ['watchers'])).kept.applied).toEqual([becomes('Viewer', 'watchers')])
  await stream.heard((told) => told.type === 'team' && told.member === user.id)
  expect((await signIn('carla', [])).kept.applied).toEqual([leaves()])
  expect(await standing(user)).toEqual([null, []])
  await expect(client.call('application.get', { params: { applicationId: line.id } })).rejects.toMatchObject({
    status: 404,
  })
  stream.close()

  const provider = { id: sso.params.providerId, name: 'Company' }
  const application = { id: line.id, name: line.name }
  expect(await events()).toMatchObject([
    {
      event: 'team.user.added',
      body: { user: { id: user.id, role: 'limited' }, info: { provider, group: 'fitters' } },
    },
    {
      event: 'application.member.added',
      body: { application, user: { id: user.id, role: 'member' }, info: { provider, group: 'fitters' } },
    },
    {
      event: 'application.member.role-changed',
      body: { application, info: { group: 'watchers' }, updates: [{ old: 'member', new: 'viewer' }] },
    },
    { event: 'team.user.removed', body: { user: { id: user.id } } },
  ])
})

test('of a rule for the team and one for an application the higher role counts', async () => {
  await save([onLine('fitters', roles.owner), onTeam('bakers', roles.member), onTeam('masters', roles.owner)])
  const { user, kept } = await signIn('dan', ['fitters', 'bakers'])
  expect(kept.applied).toEqual([joins('Member', 'bakers'), becomes('Owner')])
  await signIn('dan', ['fitters', 'masters'])
  expect(await standing(user)).toEqual([roles.owner, []])
  await signIn('dan', ['fitters'])
  expect(await standing(user)).toEqual([limited, [[line.id, roles.owner]]])
  await signIn('dan', ['bakers'])
  expect(await standing(user)).toEqual([roles.member, []])
})

test('memberships and roles in applications given by hand stay as they are', async () => {
  await save([onLine('fitters')])
  const { user } = await signIn('eve', ['fitters'])
  // Changed by hand, the role is no longer one that the rule gave.
  await owner.client.call('applicationMember.changeRole', { ...inLine(user.id), body: { role: roles.viewer } })
  expect((await signIn('eve', ['fitters'])).kept.applied).toEqual([byHand('Viewer')])
  // It keeps the membership, which a rule gave.
  expect((await signIn('eve', [])).kept.applied).toEqual([])
  expect(await standing(user)).toEqual([limited, [[line.id, roles.viewer]]])
  await owner.client.call('applicationMember.remove', inLine(user.id))
  expect((await signIn('eve', [])).kept.applied).toEqual([leaves()])

  // Added again by hand after the rule: nobody takes it back.
  await signIn('eve', ['fitters'])
  await owner.client.call('applicationMember.remove', inLine(user.id))
  const { params } = inLine(user.id)
  await owner.client.call('applicationMember.add', { params, body: { user: user.id, role: roles.member } })
  await signIn('eve', [])
  expect(await standing(user)).toEqual([limited, [[line.id, roles.member]]])

  // The same for the team.
  const { user: fred } = await signIn('fred', ['fitters'])
  await owner.client.call('team.changeRole', { ...inTeam(fred.id), body: { role: roles.viewer } })
  expect((await signIn('fred', [])).kept.applied).toEqual([`Loses the role in ${place()}: no group gives it any more.`])
  expect(await standing(fred)).toEqual([roles.viewer, []])
  const gone = (await events()).at(-1)
  expect(gone).toMatchObject({ event: 'application.member.removed', body: { info: { provider: { name: 'Company' } } } })
})

test('who is taken out by hand and let in again by hand is no longer a member by a rule', async () => {
  await save([onLine('fitters'), onTeam('bakers', roles.member)])
  const { user } = await signIn('gil', ['bakers', 'fitters'])
  await owner.client.call('team.removeMember', inTeam(user.id))
  const added = [{ teamId: team.id, userId: user.id, role: roles.member }]
  await server.app.database.transact((tx) => server.app.services.members.add(tx, added))
  expect((await signIn('gil', [])).kept.applied).toEqual([])
  expect(await standing(user)).toEqual([roles.member, []])
})

test('several providers give together, and the end at one leaves what the other gives', async () => {
  const second = await openSignOn(server, admin, `second${serial}.example.com`)
  await save([onLine('fitters', roles.owner)])
  await save([onLine('guests', roles.viewer), onTeam('bakers', roles.member)], second)
  const { user } = await signIn('hal', ['fitters'])
  // The account is known to both.
  const link = { subject: `hal${serial}`, user_id: user.id, created_at: 0, last_sign_in_at: 0 }
  await read
    .insertInto('sso_identities')
    .values({ ...link, provider_id: second.params.providerId })
    .execute()
  expect((await signIn('hal', ['guests'], second)).kept.applied).toEqual([])
  expect((await signIn('hal', [])).kept.applied).toEqual([`Becomes Viewer in ${place()}.`])
  expect((await signIn('hal', ['guests', 'bakers'], second)).kept.applied).toEqual([
    `Becomes Member of “${team.name}”${by('bakers')}`,
    `Loses the role in ${place()}: the role in the team is as high.`,
  ])
  expect((await signIn('hal', [], second)).kept.applied).toEqual([leaves()])
  await second.close()
})

test('a full team lets nobody into an application, and its only owner stays owner', async () => {
  const params = { teamTypeId: await build.teamType() }
  const limit = (properties: { userLimit?: number }) =>
    admin.client.call('teamType.update', { params, body: { properties } })
  await save([onLine('fitters'), onTeam('masters', roles.owner)])
  await limit({ userLimit: 1 })
  const full = await signIn('ida', ['fitters'])
  expect(full.kept.applied).toEqual([`Does not join “${team.name}”: the team is full.`])
  await limit({})
  expect((await signIn('ida', ['fitters'])).kept.applied).toEqual([joins(), becomes('Member')])

  await signIn('ida', ['masters'])
  await owner.client.call('team.removeMember', inTeam(owner.id))
  const stays = [`Stays Owner of “${team.name}”: it has no other owner.`]
  expect((await signIn('ida', ['fitters'])).kept.applied).toEqual(stays)
  expect(await server.app.services.teams.roleOf(team.id, full.user.id)).toBe(roles.owner)
})

test('a deleted application takes its rules with it, and the next sign-in the membership that it gave', async () => {
  await save([onLine('fitters'), onTeam('masters', roles.owner)])
  const { user } = await signIn('jan', ['fitters'])
  await owner.client.call('application.delete', { params: { applicationId: line.id } })
  const { rules } = await admin.client.call('ssoRules.list', { params: sso.params })
  expect(rules.map(({ group }) => group)).toEqual(['masters'])
  expect((await signIn('jan', ['fitters'])).kept.applied).toEqual([leaves()])

  // One that can be had back with an instance has no rules until then.
  await save([{ ...onLine('fitters'), application: other.id }])
  const instance = await build.instance(owner, other)
  await signIn('jan', ['fitters'])
  await owner.client.call('instance.delete', { params: { instanceId: instance.id } })
  await owner.client.call('application.delete', { params: { applicationId: other.id } })
  expect((await admin.client.call('ssoRules.list', { params: sso.params })).rules).toEqual([])
  expect((await signIn('jan', ['fitters'])).kept.applied).toEqual([leaves()])
  expect(await standing(user)).toEqual([null, []])
})

test('while roles in applications are off, their rules change nothing and say so; the end of a group still ends a role', async () => {
  await save([onLine('fitters')])
  const { user } = await signIn('kim', ['fitters'])
  await save([onLine('fitters', roles.owner)])
  await build.setting('team:application-roles', false)
  const off = [`The rule for ${place()} changes nothing: roles in single applications are off.`]
  expect((await signIn('kim', ['fitters'])).kept.applied).toEqual(off)
  const late = await signIn('lea', ['fitters'])
  expect(late.kept.applied).toEqual(off)
  const trial = { signIn: late.kept.id, rules: [onLine('fitters')] }
  expect((await admin.client.call('ssoRules.try', { params: sso.params, body: trial })).effects).toEqual(off)
  await build.setting('team:application-roles', true)
  expect([await standing(user), await standing(late.user)]).toEqual([
    [limited, [[line.id, roles.member]]],
    [null, []],
  ])
  await build.setting('team:application-roles', false)
  expect((await signIn('kim', [])).kept.applied).toEqual([leaves()])
})

test('a rule for an application is tried, saved and listed, and refused without its team or with a role of none', async () => {
  await save([])
  const { kept } = await signIn('max', ['fitters'])
  const trial = { signIn: kept.id, rules: [onLine('fitters')] }
  expect((await admin.client.call('ssoRules.try', { params: sso.params, body: trial })).effects).toEqual([
    joins(),
    becomes('Member'),
  ])
  const foreign = await build.application(owner, await build.team(owner))
  const faulty: [SsoRuleInput, string][] = [
    [{ ...onLine('a'), application: foreign.id }, 'rules.0.application'],
    [{ ...onLine('a'), application: 'none' }, 'rules.0.application'],
    [{ ...onLine('a'), team: null, role: roles.admin }, 'rules.0.application'],
    [onLine('a', roles.dashboard), 'rules.0.role'],
    [onLine('a', roles.admin), 'rules.0.role'],
  ]
  for (const [rule, field] of faulty)
    await expect(save([rule])).rejects.toMatchObject({ status: 400, fields: { [field]: expect.any(String) } })
  const { rules } = await save([onLine('fitters')])
  expect(rules).toEqual([
    {
      group: 'fitters',
      team: { id: team.id, name: team.name },
      application: { id: line.id, name: line.name },
      role: roles.member,
    },
  ])
  expect(await admin.client.call('ssoRules.list', { params: sso.params })).toEqual({ count: 1, rules })
})
