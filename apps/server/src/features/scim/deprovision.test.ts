import { afterAll, expect, test } from 'vitest'
import { createEditorSignIn } from '../../../testing/editor.sign-in.ts'
import { openDirectory, send } from '../../../testing/index.ts'

// The platform ends these together with the account of a person whom a directory takes out.
const { profile, refresh, server, signIn, team } = await createEditorSignIn()
afterAll(async () => server.close())

type Directory = Awaited<ReturnType<typeof openDirectory>>
const off = { op: 'replace', path: 'active', value: false }

test.each([
  ['suspends', async ({ patch }: Directory, path: string) => patch(path, off)],
  ['deletes', async ({ call }: Directory, path: string) => call('DELETE', path)],
])(
  'when a directory %s a person, their session, tokens and open editors end, and those of others do not',
  async (what, end) => {
    const admin = await server.build.user({ admin: true })
    const directory = await openDirectory(server, admin, { adoptExisting: true, directory: what })
    const user = await server.build.member(team, 50)
    const { email } = await user.client.call('account.get')
    const id = await directory.user(email, { emails: [{ value: email, primary: true }] })
    expect(id).toBe(user.id)
    const editor = await signIn(user)
    const wish = { name: 'Script', scopes: ['user:read' as const], expiresAt: null }
    const { token } = await user.client.call('tokens.create', { body: wish })
    const owner = await server.build.member(team, 50)
    const made = await Promise.all(
      [user, owner].map(async ({ client }) =>
        client.call('provisioning.create', { params: { teamId: team.id }, body: { name: `Line of ${what}` } }),
      ),
    )
    const register = async () =>
      Promise.all(
        made.map(async ({ token: held }) => {
          const headers = { authorization: `Bearer ${held}` }
          return (
            await send(server.address, 'POST', '/api/v1/devices', { headers, body: { name: 'p', team: team.id } })
          ).status
        }),
      )
    const own = async (headers: Record<string, string>) =>
      (await send(server.address, 'GET', '/api/v1/user', { headers })).status
    const all = async () => [
      await own({ cookie: user.cookie }),
      await own({ authorization: `Bearer ${token}` }),
      (await profile(editor.access_token!)).status,
    ]
    expect(await all()).toEqual([200, 200, 200])
    expect(await register()).toEqual([200, 200])
    expect((await end(directory, `/Users/${id}`)).status).toBeLessThan(300)
    expect(await all()).toEqual([401, 401, 401])
    expect(await register()).toEqual([401, 200])
    const { log } = await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { limit: 20 } })
    expect(log).toContainEqual(
      expect.objectContaining({
        event: 'team.device.provisioning.deleted',
        body: { info: { tokenId: made[0]!.id, tokenName: `Line of ${what}` } },
      }),
    )
    expect((await refresh(editor.refresh_token!)).status).toBe(400)
  },
)
