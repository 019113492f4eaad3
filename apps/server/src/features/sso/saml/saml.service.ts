import { randomBytes } from 'node:crypto'
import type { SsoOptions } from '@app/contract'
import type { Actor } from '../../../platform/authz/actor.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/database.ts'
import { fail } from '../../../platform/http/failure.ts'
import type { Caller } from '../../account/index.ts'
import type { FoundRequest, SsoRequests } from '../requests.service.ts'
import { ownPath } from '../requests.service.ts'
import type { Arrival, SsoOutcome, SsoSignIns } from '../sign-in.service.ts'
import { SsoRefusal } from '../sso.refusal.ts'
import type { OptionFaults, Sso } from '../sso.service.ts'
import { listActiveProviders, type ProviderRow } from '../sso.store.ts'
import { acsUrl, entityId, optionsOf } from '../sso.view.ts'
import { type Claims, claimsOf, type Expected, judge, libraryFor } from './saml.answer.ts'
import { personOf } from './saml.attributes.ts'
import { makeKey, noCertificate, pemOf } from './saml.certificates.ts'

export interface SamlDependencies {
  database: Database
  clock: Clock
  baseUrl: string
  sso: Pick<Sso, 'read' | 'secret' | 'keepSecrets'>
  ssoRequests: SsoRequests
  ssoSignIns: Pick<SsoSignIns, 'complete' | 'refuse' | 'refuseUnknown'>
}

export type Saml = ReturnType<typeof createSaml>

/** Faults of options of SAML: texts that are no certificates, and what an active provider lacks. */
export function judgeSaml({ active, id, options }: Pick<ProviderRow, 'active' | 'id' | 'options'>): OptionFaults {
  const { entryPoint, idpIssuer, cert, nextCert } = optionsOf({ id, options })
  const needed = active ? { entryPoint, idpIssuer, cert } : {}
  const missing = Object.entries(needed).flatMap(([name, value]) =>
    value ? [] : [[name, 'An active provider needs this']],
  )
  const bad = Object.entries({ cert, nextCert }).flatMap(([name, text]) =>
    text === undefined || pemOf(text) !== undefined ? [] : [[name, noCertificate]],
  )
  return Object.fromEntries([...bad, ...missing]) as OptionFaults
}

/** Signs people in through SAML 2.0 (web browser profile, answers by POST). */
export function createSaml({ database, clock, baseUrl, sso, ssoRequests, ssoSignIns }: SamlDependencies) {
  /** The key of this platform for a provider; made when it is first needed. */
  async function keyOf(row: ProviderRow): Promise<{ key: string; cert: string }> {
    const [key, cert] = [sso.secret(row, 'spKey'), sso.secret(row, 'spCert')]
    if (key !== undefined && cert !== undefined) return { key, cert }
    const made = await makeKey(clock.now())
    const kept = await sso.keepSecrets(row.id, { spKey: made.key, spCert: made.cert })
    return { key: sso.secret(kept, 'spKey')!, cert: sso.secret(kept, 'spCert')! }
  }

  async function expectedOf(row: ProviderRow, { cert, nextCert, idpIssuer }: SsoOptions): Promise<Expected> {
    const certificates = [cert, nextCert].flatMap((text) => (text ? (pemOf(text) ?? []) : []))
    return {
      entityId: entityId(baseUrl, row.id),
      acsUrl: acsUrl(baseUrl),
      issuer: idpIssuer ?? '',
      certificates,
      key: (await keyOf(row)).key,
    }
  }

  /** The provider that an answer claims to be from, and the request that it answers. Neither is believed yet. */
  async function claimed({ inResponseTo, issuer }: Claims) {
    const request = inResponseTo === undefined ? undefined : await ssoRequests.find(inResponseTo)
    if (request) {
      const found = await sso.read(request.providerId)
      return found && { row: found.row, request }
    }
    const rows = (await listActiveProviders(database.read)).filter(({ type }) => type === 'saml')
    const row = rows.find((one) => optionsOf(one).idpIssuer === issuer)
    return row && { row, request: undefined }
  }

  /** @throws SsoRefusal when nobody in this browser asked for the answer. */
  function checkRequest(
    request: FoundRequest | undefined,
    answers: string | undefined,
    asked: string | undefined,
    browser: string | undefined,
    options: SsoOptions,
  ): void {
    // The assertion is signed; the envelope, which said which request it is for, need not be.
    if (answers === undefined && asked === undefined) {
      if (!options.idpInitiated) throw new SsoRefusal('unsolicited')
      return
    }
    if (!request || (answers !== undefined && answers !== asked)) throw new SsoRefusal('wrong_browser')
    // An assertion that names no request is one that anybody could have put into this envelope.
    if (answers === undefined && !options.idpInitiated) throw new SsoRefusal('unsolicited')
    if (!request.isFrom(browser)) throw new SsoRefusal('wrong_browser')
  }

  return {
    /** The address of the provider's sign-in page, with a request of ours. */
    async begin(row: ProviderRow, browser: string, returnTo: string | undefined): Promise<string> {
      const options = optionsOf(row)
      const id = `_${randomBytes(20).toString('hex')}`
      await ssoRequests.begin({ id, providerId: row.id, browser, returnTo })
      const library = await libraryFor(await expectedOf(row, options), options.entryPoint, () => id)
      // Where to go afterwards is kept here, so no address travels through other hands.
      return library.getAuthorizeUrlAsync('', undefined, {})
    },

    /** Ends a sign-in with the answer of a provider; undefined when no provider here is meant. */
    async finish(
      answer: { SAMLResponse: string; RelayState?: string | undefined },
      browser: string | undefined,
      caller: Caller,
      former: Actor,
    ): Promise<SsoOutcome> {
      let claims: Claims = { inResponseTo: undefined, issuer: undefined }
      let found: Awaited<ReturnType<typeof claimed>>
      try {
        claims = claimsOf(answer.SAMLResponse)
        found = await claimed(claims)
        if (!found) throw new SsoRefusal('wrong_issuer')
      } catch (error) {
        if (!(error instanceof SsoRefusal)) throw error
        await ssoSignIns.refuseUnknown(claims.issuer, error, caller.address)
        return { refused: error, returnTo: '/' }
      }
      const { row, request } = found
      const arrival: Pick<Arrival, 'provider'> & Partial<Arrival> = { provider: row }
      try {
        if (row.type !== 'saml' || !row.active) throw new SsoRefusal('provider_inactive')
        const options = optionsOf(row)
        const judged = await judge(answer.SAMLResponse, await expectedOf(row, options))
        Object.assign(arrival, personOf(judged, options))
        checkRequest(request, judged.inResponseTo, claims.inResponseTo, browser, options)
        if (!(await ssoRequests.once(row.id, judged.id, judged.until))) throw new SsoRefusal('replayed')
        if (request && !(await ssoRequests.use(claims.inResponseTo!))) throw new SsoRefusal('replayed')
        const returnTo = request ? request.returnTo : ownPath(answer.RelayState)
        return await ssoSignIns.complete({ ...(arrival as Arrival), returnTo }, caller, former)
      } catch (error) {
        if (!(error instanceof SsoRefusal)) throw error
        await ssoSignIns.refuse(arrival, error, caller.address)
        return { refused: error, returnTo: '/' }
      }
    },

    /** The metadata of this platform for a provider, as XML. @throws Failure not_found */
    async metadata(providerId: string): Promise<string> {
      const found = await sso.read(providerId)
      if (found?.row.type !== 'saml') throw fail('not_found')
      const { cert } = await keyOf(found.row)
      const expected = await expectedOf(found.row, found.options)
      // The library wants a certificate of the provider even where it judges nothing.
      const certificates = expected.certificates.length > 0 ? expected.certificates : [cert]
      return (await libraryFor({ ...expected, certificates })).generateServiceProviderMetadata(cert)
    },
  }
}
