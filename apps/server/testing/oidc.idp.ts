import { generateKeyPairSync } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export type Person = { sub: string } & Record<string, unknown>
export type OidcIdp = Awaited<ReturnType<typeof startOidcIdp>>

const clientId = 'forge'
export const clientSecret = 'a secret of the client, which nobody must read'

/**
 * The package oidc-provider in this process. Whoever comes to it is signed in at once as the person of the moment, or
 * refuses to be.
 */
export async function startOidcIdp() {
  let person: Person | undefined
  let handle: RequestListener = (_request, response) => void response.end()
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }
  const people = new Map<string, Person>()
  const redirects: string[] = []

  /** It reads its clients when it is made, so another address makes another provider at the same issuer. */
  function provide(redirectUri: string): void {
    redirects.push(redirectUri)
    const provider = new Provider(issuer, {
      clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [...redirects] }],
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['name', 'preferred_username', 'groups'],
      },
      cookies: { keys: ['a key of the cookies in tests'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: async (_context: unknown, id: string) => ({ accountId: id, claims: async () => people.get(id) }),
      // Nobody is asked whether this application may know their address.
      async loadExistingGrant(context: { oidc: { client: { clientId: string }; session: { accountId: string } } }) {
        const { client, session } = context.oidc
        const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
      pkce: { required: () => true },
      jwks: { keys: [key] },
      ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    })
    const answer = provider.callback()
    handle = (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return answer(request, response)
      const result = person
        ? { login: { accountId: person.sub } }
        : { error: 'access_denied', error_description: 'The person said no' }
      void provider.interactionFinished(request, response, result)
    }
  }

  /** Decides who the next browser is signed in as; nobody: the person refuses. */
  function expectPerson(who: Person | undefined): void {
    person = who
    if (who) people.set(who.sub, who)
  }

  return {
    issuer,
    clientId,
    provide,
    expectPerson,
    /** Follows the redirects of a browser from the sign-in page until it is sent back; returns that address. */
    async signIn(address: string, who?: Person): Promise<URL> {
      expectPerson(who)
      const cookies = new Map<string, string>()
      let at = new URL(address)
      for (let steps = 0; steps < 8; steps += 1) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const response = await fetch(at, { redirect: 'manual', headers: { cookie } })
        for (const line of response.headers.getSetCookie()) {
          const [name = '', value = ''] = line.split(';')[0]!.split(/=(.*)/s)
          if (value === '') cookies.delete(name)
          else cookies.set(name, value)
        }
        const location = response.headers.get('location')
        if (location === null) throw new Error(`${response.status}: ${(await response.text()).slice(0, 2_000)}`)
        at = new URL(location, at)
        if (at.origin !== issuer) return at
      }
      throw new Error('The provider redirects without end')
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
