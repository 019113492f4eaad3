import { roles } from '@app/contract'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { openDirectory, openServer, openSignOn, type TestServer, until } from '../../../testing/index.ts'

// Groups that a directory pushes, and the rules of its provider.
let team: Awaited<ReturnType<TestServer['build']['team']>>
let serial = 0

const server = await openServer()
const admin = await server.build.user({ admin: true })
const owner = await server.build.user()
const sso = await openSignOn(server, admin, 'pushed.example.com')
const directory = await openDirectory(server, admin, { provider: sso.params.providerId })
afterAll(async () => {
  await sso.close()
})
beforeEach(async () => {
  serial += 1
  team = await server.build.team(owner)
})

type Rules = Parameters<typeof admin.client.call<'ssoRules.replace'>>[1]['body']['rules']
const save = (rules: Rules) => admin.client.call('ssoRules.replace', { params: sso.params, body: { rules } })
const roleOf = async (userId: string) => (await server.app.services.teams.roleOf(team.id, userId)) ?? null
const untilRole = (userId: string, role: number | null) =>
  until(
    () => roleOf(userId),
    (now) => now === role,
  )
const person = (name: string) => directory.user(`${name}${serial}@pushed.example.com`)
async function group(name: string, members: string[], externalId?: string): Promise<string> {
  const body = { displayName: name, externalId, members: members.map((value) => ({ value })) }
  const { status, json, text } = await directory.call('POST', '/Groups', body)
  if (status !== 201) throw new Error(text)
  return `/Groups/${String(json.id)}`
}
const add = (id: string) => ({ op: 'add', path: 'members', value: [{ value: id }] })
const drop = (id: string) => ({ op: 'remove', path: `members[value eq "${id}"]` })
const changes = async (userId: string) =>
  (await admin.client.call('sso.signIns', { params: sso.params })).signIns
    .filter(({ user, result }) => user?.id === userId && result === 'directory')
    .flatMap(({ applied }) => applied)
const jobsDone = () =>
  until(
    async () => server.app.database.read.selectFrom('sso_reviews').selectAll().execute(),
    (rows) => rows.length === 0,
  )

test('who joins or leaves a pushed group joins or leaves the team at once, without a sign-in, and it is told', async () => {
  const [ada, bob] = [await person('ada'), await person('bob')]
  await save([{ group: `line-${serial}`, team: team.id, role: roles.member }])
  const path = await group(`line-${serial}`, [ada])
  await untilRole(ada, roles.member)
  await directory.patch(path, add(bob), drop(ada))
  await untilRole(bob, roles.member)
  await untilRole(ada, null)
  expect(await changes(ada)).toEqual([
    `Leaves “${team.name}”: no group gives a role there any more.`,
    `Joins “${team.name}” as Member, by the group “line-${serial}”.`,
  ])
  const log = server.app.database.read.selectFrom('audit_log').select('event').where('scope_id', '=', team.id)
  expect((await log.execute()).map(({ event }) => event).toSorted()).toEqual([
    'team.created',
    'team.user.added',
    'team.user.added',
    'team.user.removed',
  ])
  // Another name is another group; a deleted one is none.
  await directory.patch(path, { op: 'replace', path: 'displayName', value: `other-${serial}` })
  await untilRole(bob, null)
  await directory.patch(path, { op: 'replace', path: 'displayName', value: `line-${serial}` })
  await untilRole(bob, roles.member)
  await directory.call('DELETE', path)
  await untilRole(bob, null)
})

test('whom the directory deletes leaves the team; whom it suspends keeps the role', async () => {
  const [ada, bob] = [await person('ada'), await person('bob')]
  await save([{ group: `line-${serial}`, team: team.id, role: roles.member }])
  await group(`line-${serial}`, [ada, bob])
  await untilRole(bob, roles.member)
  await directory.patch(`/Users/${ada}`, { op: 'replace', path: 'active', value: false })
  await directory.call('DELETE', `/Users/${bob}`)
  await untilRole(bob, null)
  expect(await roleOf(ada)).toBe(roles.member)
})

test('a pushed group follows the directory, any other one the sign-in, and an external id names a group too', async () => {
  const name = `ada${serial}`
  const ada = await person('ada')
  const other = await server.build.team(owner)
  await save([
    { group: `object-${serial}`, team: team.id, role: roles.member },
    { group: `sent-${serial}`, team: other.id, role: roles.viewer },
  ])
  // Neither is pushed yet, so both come from the sign-in.
  await sso.signIn(name, [`object-${serial}`, `sent-${serial}`])
  expect(await roleOf(ada)).toBe(roles.member)
  const path = await group(`Bakers ${serial}`, [], `object-${serial}`)
  await directory.patch(path, add(ada))
  await directory.patch(path, drop(ada))
  await untilRole(ada, null)
  const inOther = async () => (await server.app.services.teams.roleOf(other.id, ada)) ?? null
  expect(await inOther()).toBe(roles.viewer)
  // The sign-in says what it said before; the directory knows better of its own group.
  await sso.signIn(name, [`object-${serial}`, `sent-${serial}`])
  expect([await roleOf(ada), await inOther()]).toEqual([null, roles.viewer])
  await directory.patch(path, add(ada))
  await untilRole(ada, roles.member)
  await sso.signIn(name, undefined)
  expect([await roleOf(ada), await inOther()]).toEqual([roles.member, roles.viewer])
})

test('a pushed group makes nobody an administrator, and takes the right away with its end', async () => {
  const name = `eve${serial}`
  const eve = await person('eve')
  await save([{ group: `heads-${serial}`, team: null, role: roles.admin }])
  const path = await group(`heads-${serial}`, [eve])
  await jobsDone()
  const isAdmin = async () => (await admin.client.call('user.get', { params: { userId: eve } })).admin
  expect(await isAdmin()).toBe(false)
  await sso.signIn(name, undefined)
  expect(await isAdmin()).toBe(false)
  await sso.signIn(name, [`heads-${serial}`])
  expect(await isAdmin()).toBe(true)
  await directory.patch(path, drop(eve))
  await until(isAdmin, (now) => !now)
  await sso.signIn(name, [`heads-${serial}`])
  expect(await isAdmin()).toBe(false)
})

test('the only owner stays, which is told; groups of a token without a provider give no role', async () => {
  const ada = await person('ada')
  await save([{ group: `line-${serial}`, team: team.id, role: roles.owner }])
  const path = await group(`line-${serial}`, [ada])
  await untilRole(ada, roles.owner)
  await owner.client.call('team.removeMember', { params: { teamId: team.id, userId: owner.id } })
  await directory.patch(path, drop(ada))
  const only = `Stays Owner of “${team.name}”: it has no other owner.`
  await until(
    () => changes(ada),
    (lines) => lines.includes(only),
  )
  expect(await roleOf(ada)).toBe(roles.owner)

  const free = await openDirectory(server, admin, { directory: 'Free' })
  const bob = await free.user(`bob${serial}@free.example.com`)
  await free.call('POST', '/Groups', { displayName: `line-${serial}`, members: [{ value: bob }] })
  await jobsDone()
  expect(await roleOf(bob)).toBeNull()
})

test('a large group is worked off after the answer, and a change meanwhile is not lost', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, (_, n) => person(`p${n}x`)))
  await save([{ group: `line-${serial}`, team: team.id, role: roles.viewer }])
  const path = await group(`line-${serial}`, people)
  const [first, last] = [people[0]!, people.at(-1)!]
  await Promise.all([directory.patch(path, drop(first)), directory.patch(path, drop(last))])
  await jobsDone()
  const members = server.app.database.read.selectFrom('team_members').select('user_id').where('team_id', '=', team.id)
  const now = (await members.where('role', '=', roles.viewer).execute()).map((row) => row.user_id)
  expect(now.toSorted()).toEqual(people.slice(1, -1).toSorted())
  const { read } = server.app.database
  await until(
    () => read.selectFrom('jobs').select('id').where('kind', '=', 'sso.review').execute(),
    (rows) => rows.length === 0,
  )
})
