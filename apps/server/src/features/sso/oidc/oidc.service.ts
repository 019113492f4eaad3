import type { Configuration } from 'openid-client'
import type { Actor } from '../../../platform/authz/actor.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Caller } from '../../account/index.ts'
import type { SsoDomains } from '../domains.service.ts'
import type { FoundRequest, SsoRequests } from '../requests.service.ts'
import type { Arrival, SsoOutcome, SsoSignIns } from '../sign-in.service.ts'
import { SsoRefusal } from '../sso.refusal.ts'
import type { OptionFaults, Sso } from '../sso.service.ts'
import type { ProviderRow } from '../sso.store.ts'
import { callbackUrl, optionsOf } from '../sso.view.ts'
import { lacksClaims, personOf } from './oidc.claims.ts'
import { createOidcClients, isSafeIssuer, oidcLibrary } from './oidc.client.ts'
import { refusalOf } from './oidc.errors.ts'

export interface OidcDependencies {
  clock: Clock
  sso: Pick<Sso, 'read' | 'secret'>
  ssoDomains: Pick<SsoDomains, 'isOn'>
  ssoRequests: SsoRequests
  ssoSignIns: Pick<SsoSignIns, 'complete' | 'refuse'>
  baseUrl: string
}

export type Oidc = ReturnType<typeof createOidc>

/** Faults of options of OpenID Connect that could not work. */
export function judgeOidc(row: ProviderRow): OptionFaults {
  const { issuer, clientId } = optionsOf(row)
  const isUnsafe = issuer && !isSafeIssuer(issuer)
  return {
    ...(isUnsafe ? { issuer: 'The issuer must be an https address; http is for this machine alone' } : {}),
    ...(row.active && !issuer ? { issuer: 'Enter the issuer before you activate it' } : {}),
    ...(row.active && !clientId ? { clientId: 'Enter the client ID before you activate it' } : {}),
  }
}

/** Signing in by OpenID Connect: the code flow with PKCE, state and nonce. */
export function createOidc({ clock, sso, ssoDomains, ssoRequests, ssoSignIns, baseUrl }: OidcDependencies) {
  const clients = createOidcClients({ clock })
  const clientFor = async (row: ProviderRow) => clients(row, sso.secret(row, 'clientSecret'))

  /** The request that an answer belongs to. It is used up, so that the answer counts once. @throws SsoRefusal */
  async function requestOf(row: ProviderRow, state: string, browser: string | undefined): Promise<FoundRequest> {
    const request = await ssoRequests.find(state)
    if (!request) throw new SsoRefusal('wrong_browser')
    // An answer at the address of one provider to a request for another: a mix-up.
    if (request.providerId !== row.id) throw new SsoRefusal('wrong_issuer')
    if (!request.isFrom(browser)) throw new SsoRefusal('wrong_browser')
    if (!(await ssoRequests.use(state))) throw new SsoRefusal('replayed')
    return request
  }

  async function claimsOf(
    client: Configuration,
    row: ProviderRow,
    search: string,
    request: FoundRequest,
    state: string,
  ) {
    const address = new URL(`${callbackUrl(baseUrl, row.id)}${search}`)
    const { verifier = '', nonce = '' } = request.data
    const { authorizationCodeGrant, fetchUserInfo } = await oidcLibrary()
    const tokens = await authorizationCodeGrant(client, address, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()!
    if (!client.serverMetadata().userinfo_endpoint || !lacksClaims(claims, optionsOf(row))) return { ...claims }
    return { ...(await fetchUserInfo(client, tokens.access_token, claims.sub)), ...claims }
  }

  return {
    /** The address of the provider's sign-in page, with a request of ours. @throws SsoRefusal when it does not answer */
    async begin(row: ProviderRow, browser: string, returnTo: string | undefined): Promise<string> {
      const library = await oidcLibrary()
      const [state, nonce, verifier] = [library.randomState(), library.randomNonce(), library.randomPKCECodeVerifier()]
      const client = await clientFor(row).catch((error: unknown) => {
        throw refusalOf(error)
      })
      const more = (optionsOf(row).scopes ?? '').split(/\s+/).filter(Boolean)
      const address = library.buildAuthorizationUrl(client, {
        redirect_uri: callbackUrl(baseUrl, row.id),
        scope: [...new Set(['openid', 'email', 'profile', ...more])].join(' '),
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      await ssoRequests.begin({ id: state, providerId: row.id, browser, returnTo, data: { nonce, verifier } })
      return address.href
    },

    /** Ends a sign-in with the answer of a provider, whose parameters are `search`. */
    async finish(
      providerId: string,
      search: string,
      browser: string | undefined,
      caller: Caller,
      former: Actor,
    ): Promise<SsoOutcome> {
      const row = (await sso.read(providerId))?.row
      if (row?.type !== 'oidc') return { refused: new SsoRefusal('provider_inactive'), returnTo: '/' }
      const arrival: Pick<Arrival, 'provider'> & Partial<Arrival> = { provider: row }
      try {
        if (!row.active || !(await ssoDomains.isOn())) throw new SsoRefusal('provider_inactive')
        const states = new URLSearchParams(search).getAll('state')
        if (states.length !== 1) throw new SsoRefusal('unsolicited')
        const request = await requestOf(row, states[0]!, browser)
        const client = await clientFor(row)
        const claims = await claimsOf(client, row, search, request, states[0]!)
        Object.assign(arrival, personOf(claims, optionsOf(row)))
        return await ssoSignIns.complete({ ...(arrival as Arrival), returnTo: request.returnTo }, caller, former)
      } catch (error) {
        const refusal = refusalOf(error)
        await ssoSignIns.refuse(arrival, refusal, caller.address)
        return { refused: refusal, returnTo: '/' }
      }
    },
  }
}
