import { roles } from '@app/contract'
import { expect, test } from 'vitest'
import { openServer, openSignOn, until } from '../../../../testing/index.ts'

const server = await openServer()
const admin = await server.build.user({ admin: true })

const providers = async () =>
  (await admin.client.call('sso.list', { query: {} })).providers.map(({ domainFilter }) => domainFilter)

/** A provider whose rules made Ada a member and an administrator, and Bob a member whom somebody made an owner. */
async function given(domain: string) {
  const sso = await openSignOn(server, admin, domain)
  const owner = await server.build.user()
  const [team, own] = [await server.build.team(owner), await server.build.team(owner)]
  const rules = [
    { group: 'bakers', team: team.id, role: roles.member },
    { group: 'heads', team: own.id, role: roles.owner },
    { group: 'bakers', team: null, role: roles.admin },
  ]
  await admin.client.call('ssoRules.replace', { params: sso.params, body: { rules } })
  const { user: ada } = await sso.signIn(`ada.${domain}`, ['bakers', 'heads'])
  const { user: bob } = await sso.signIn(`bob.${domain}`, ['bakers'])
  await admin.client.call('user.update', { params: { userId: bob.id }, body: { admin: false } })
  const params = { teamId: team.id, userId: bob.id }
  await owner.client.call('team.changeRole', { params, body: { role: roles.owner } })
  // Nobody else owns that team.
  await owner.client.call('team.removeMember', { params: { teamId: own.id, userId: owner.id } })
  return {
    sso,
    end: (query: { roles?: 'end' }) => admin.client.call('sso.delete', { params: sso.params, query }),
    async standing() {
      const roleIn = async (teamId: string, userId: string) => server.app.services.teams.roleOf(teamId, userId)
      const { admin: isAdmin } = await admin.client.call('user.get', { params: { userId: ada.id } })
      return {
        admin: isAdmin,
        ada: [await roleIn(team.id, ada.id), await roleIn(own.id, ada.id)],
        bob: await roleIn(team.id, bob.id),
      }
    },
  }
}
const before = { admin: true, ada: [roles.member, roles.owner], bob: roles.owner }

test('a deleted provider leaves what its rules gave', async () => {
  const { sso, end, standing } = await given('stays.example.com')
  await end({})
  expect([await standing(), await providers()]).toEqual([before, []])
  await sso.close()
})

test('on request it takes that back, but for the only owner of a team and what people decided by hand', async () => {
  const { sso, end, standing } = await given('ends.example.com')
  expect(await standing()).toEqual(before)
  await end({ roles: 'end' })
  // It is gone at once, also for whoever makes another for the same domain.
  expect(await providers()).toEqual([])
  await expect(admin.client.call('sso.get', { params: sso.params })).rejects.toMatchObject({ status: 404 })
  await expect(end({})).rejects.toMatchObject({ status: 404 })
  const again = { name: 'Again', domainFilter: 'ends.example.com' }
  await admin.client.call('sso.create', { body: again })
  await until(
    async () => (await admin.client.call('job.list')).jobs,
    (jobs) => jobs.length === 0,
  )
  expect(await standing()).toEqual({ admin: false, ada: [undefined, roles.owner], bob: roles.owner })
  expect(await providers()).toEqual(['@ends.example.com'])
  const { log } = await admin.client.call('auditLog.list', { query: { limit: 50 } })
  const deleted = log.find(({ event }) => event === 'platform.sso.provider.deleted')
  expect(deleted?.body).toMatchObject({ info: { name: 'Company', roles: 'taken back' } })
  await sso.close()
})
