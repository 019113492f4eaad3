import { expect } from 'vitest'
import type { TestUser } from './build.ts'
import { type Answer, cookieOf, send } from './request.ts'
import { type AnswerParts, createSamlIdp, requestIn } from './saml.idp.ts'
import type { TestServer } from './server.ts'

let serial = 0

/** A platform with single sign-on, and the steps of a sign-in through a SAML provider of a domain of its own. */
export async function openSaml(server: TestServer, admin: TestUser) {
  await server.build.setting('user:sso', true)
  const idp = await createSamlIdp()
  const adminCall = (method: string, path: string, body?: unknown) =>
    send(server.address, method, `/ee/sso/providers${path}`, {
      headers: { cookie: admin.cookie },
      ...(body === undefined ? {} : { body }),
    })

  /** An active provider for a domain of its own. */
  async function provider(options: Record<string, unknown> = {}) {
    const domain = `company${(serial += 1)}.example.com`
    const issuer = `https://idp${serial}.example.com/entity`
    const made = (await adminCall('POST', '', { name: `Company ${serial}`, domainFilter: domain })).json as {
      id: string
      acsURL: string
      entityID: string
    }
    const entryPoint = `https://idp.example.com/sso?tenant=${serial}`
    const all = { entryPoint, idpIssuer: issuer, cert: idp.cert, createAccounts: true, ...options }
    const saved = await adminCall('PUT', `/${made.id}`, { active: true, options: all })
    expect(saved.status).toBe(200)

    /** Sends the browser of a person to the provider, with a cookie of ours. */
    async function begin(returnTo?: string) {
      const r = returnTo === undefined ? '' : `&r=${encodeURIComponent(returnTo)}`
      const answer = await send(server.address, 'GET', `/ee/sso/login?u=${encodeURIComponent(`a@${domain}`)}${r}`)
      expect(answer.status).toBe(303)
      const location = answer.headers.get('location')!
      return { location, request: requestIn(location), browser: cookieOf(answer, 'sso')! }
    }

    /** Brings an answer as the form of the provider does: from another site, as a form. */
    function post(SAMLResponse: string, { browser, RelayState }: { browser?: string; RelayState?: string } = {}) {
      return send(server.address, 'POST', '/ee/sso/login/callback', {
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: 'https://idp.example.com',
          ...(browser === undefined ? {} : { cookie: `sso=${browser}` }),
        },
        body: new URLSearchParams({ SAMLResponse, ...(RelayState === undefined ? {} : { RelayState }) }).toString(),
      })
    }

    /** The parts of an answer for this provider. */
    const parts = (changes: Partial<AnswerParts> = {}): AnswerParts => ({
      acsUrl: made.acsURL,
      audience: made.entityID,
      issuer,
      ...changes,
    })

    /** A whole sign-in. `person` is an address without its domain, and the subject too. */
    async function signIn(person: string, changes: Partial<AnswerParts> = {}, returnTo?: string): Promise<Answer> {
      const { request, browser } = await begin(returnTo)
      const attributes = { email: `${person}@${domain}`, displayName: `Name of ${person}`, ...changes.attributes }
      const all = parts({ inResponseTo: request.id, nameId: person, ...changes, attributes })
      return post(await idp.answer(all), { browser })
    }

    const signIns = async () =>
      (await adminCall('GET', `/${made.id}/sign-ins`)).json.signIns as Record<string, unknown>[]
    return { ...made, domain, issuer, begin, post, parts, signIn, signIns }
  }

  /** The account of the session that an answer opened; undefined when it opened none. */
  async function whoIs(answer: Answer): Promise<Record<string, unknown> | undefined> {
    const sid = cookieOf(answer, 'sid')
    if (!sid) return undefined
    return (await send(server.address, 'GET', '/api/v1/user', { headers: { cookie: `sid=${sid}` } })).json
  }

  return { idp, adminCall, provider, whoIs }
}
