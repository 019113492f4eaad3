import { clientWith, type TestUser } from './build.ts'
import { clientSecret, type OidcIdp, startOidcIdp } from './oidc.idp.ts'
import { cookieOf, send } from './request.ts'
import type { TestServer } from './server.ts'

/** Single sign-on through a real provider of OpenID Connect, for the people of a domain of its own. */
export async function openSignOn(server: TestServer, admin: TestUser, domain: string) {
  const idp: OidcIdp = await startOidcIdp()
  await server.build.setting('user:sso', true)
  const body = { name: 'Company', type: 'oidc' as const, domainFilter: domain }
  const { id: providerId } = await admin.client.call('sso.create', { body })
  const params = { providerId }
  idp.provide(`${server.config.baseUrl}/ee/sso/oidc/${providerId}/callback`)
  const options = { issuer: idp.issuer, clientId: idp.clientId, clientSecret, createAccounts: true }
  await admin.client.call('sso.update', { params, body: { active: true, options } })
  const session = server.app.services.sessionCookie.name

  return {
    params,
    close: idp.close,

    /** Signs a person in with these groups; `undefined`: the provider says nothing of groups. */
    async signIn(name: string, groups: string[] | undefined) {
      const begun = await send(server.address, 'GET', `/ee/sso/login?provider=${providerId}`)
      const person = { sub: name, email: `${name}@${domain}`, preferred_username: name, ...(groups ? { groups } : {}) }
      const back = await idp.signIn(begun.headers.get('location')!, person)
      const cookie = `sso=${cookieOf(begun, 'sso')}`
      const answer = await send(server.address, 'GET', back.pathname + back.search, { headers: { cookie } })
      if (answer.headers.get('location') !== '/') throw new Error(`Not signed in: ${answer.headers.get('location')}`)
      const own = `${session}=${cookieOf(answer, session)}`
      const client = clientWith(server.address, 'cookie', own)
      const { signIns } = await admin.client.call('sso.signIns', { params })
      return { client, cookie: own, user: await client.call('account.get'), kept: signIns[0]! }
    },
  }
}
