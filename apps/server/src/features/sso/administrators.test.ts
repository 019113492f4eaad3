import { roles } from '@app/contract'
import { afterAll, expect, test } from 'vitest'
import { updateUser } from '../account/index.ts'
import { openServer, openSignOn } from '../../../testing/index.ts'

// One administrator can get in without a provider, whatever is done to administrators.
const server = await openServer()
const boss = await server.build.user({ admin: true })
const sso = await openSignOn(server, boss, 'guard.example.com')
afterAll(async () => {
  await sso.close()
})

const refused = { status: 400, message: expect.stringContaining('The last administrator with a password') }

test('the last administrator with a password stays one, though others sign in through a provider', async () => {
  const { user, client } = await sso.signIn('ada', [])
  await boss.client.call('user.update', { params: { userId: user.id }, body: { admin: true } })
  const again = (await sso.signIn('ada', [])).client
  const params = { userId: boss.id }
  await expect(again.call('user.update', { params, body: { admin: false } })).rejects.toMatchObject(refused)
  await expect(again.call('user.update', { params, body: { suspended: true } })).rejects.toMatchObject(refused)
  await expect(again.call('user.delete', { params })).rejects.toMatchObject(refused)
  await expect(boss.client.call('account.delete', { body: {} } as never)).rejects.toMatchObject({ status: 400 })

  // An administrator who has none can go, and so can one of two who have.
  const other = await server.build.user({ admin: true })
  for (const { id } of [user, other])
    expect(await boss.client.call('user.update', { params: { userId: id }, body: { admin: false } })).toMatchObject({
      admin: false,
    })
  await expect(client.call('account.get')).rejects.toMatchObject({ status: 401 })
})

test('rules take the right from no administrator who is the last with a password', async () => {
  const rules = [{ group: 'heads', team: null, role: roles.admin }]
  await boss.client.call('ssoRules.replace', { params: sso.params, body: { rules } })
  const { user } = await sso.signIn('eve', ['heads'])
  const made = await boss.client.call('user.makeLink', {
    params: { userId: user.id },
    body: { purpose: 'reset-password' },
  })
  const password = 'battery staple 9'
  const token = made.url.split('/').at(-1)!
  await server.build.anonymous.call('account.resetPassword', { params: { token }, body: { password } })
  // As if the first administrator had been made by a provider too.
  await server.app.database.transact((tx) => updateUser(tx, boss.id, { local_password: 0, updated_at: Date.now() }))
  const { user: last, kept } = await sso.signIn('eve', [])
  expect(last).toMatchObject({ admin: true })
  expect(kept.applied).toEqual(['Stays an administrator: there is no other who can sign in by a password.'])
})
