import type { TestUser } from './build.ts'
import { type Answer, send } from './request.ts'
import type { TestServer } from './server.ts'

/** Speaks to a server as a directory does, with the token that an administrator made for it. */
export async function openDirectory(server: TestServer, admin: TestUser, wish: object = {}) {
  await server.build.setting('user:sso', true)
  const { token } = await admin.client.call('scim.createToken', {
    body: { name: 'Directory', directory: 'Example', expiresAt: null, ...wish },
  })
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> =>
    send(server.address, method, `/scim/v2${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      ...(body === undefined ? {} : { body }),
    })
  return {
    token,
    call,
    find: async (path: string, filter: string) => call('GET', `${path}?filter=${encodeURIComponent(filter)}`),
    patch: async (path: string, ...operations: object[]) =>
      call('PATCH', path, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: operations,
      }),
    /** A user with this name and the address of it. */
    async user(userName: string, more: object = {}): Promise<string> {
      const answer = await call('POST', '/Users', {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        userName,
        active: true,
        ...more,
      })
      if (answer.status !== 201) throw new Error(answer.text)
      return answer.json.id as string
    },
  }
}
