import type { ClientAuth, Configuration } from 'openid-client'
import type { Clock } from '../../../platform/clock.ts'
import { SsoRefusal } from '../sso.refusal.ts'
import type { ProviderRow } from '../sso.store.ts'
import { optionsOf } from '../sso.view.ts'

/** Seconds a provider has to answer each request. */
const patience = 10
/** Milliseconds after which a provider is asked again how it works: its keys and addresses change rarely. */
const freshMs = 3_600_000

/** The library, loaded by the first sign-in that needs it. */
export const oidcLibrary = () => import('openid-client')
export type OidcLibrary = Awaited<ReturnType<typeof oidcLibrary>>

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** May this issuer be asked? Without TLS only one on this very machine. */
export function isSafeIssuer(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false
  const { protocol, hostname } = new URL(issuer)
  return protocol === 'https:' || (protocol === 'http:' && loopback.includes(hostname))
}

/** By the way that the provider takes secrets. Without a word of it, OpenID Connect means the header. */
function authentication(
  { ClientSecretBasic, ClientSecretPost, None }: OidcLibrary,
  secret: string | undefined,
): ClientAuth {
  if (secret === undefined) return None()
  const [post, basic] = [ClientSecretPost(secret), ClientSecretBasic(secret)]
  return (server, ...rest) => {
    const ways = server.token_endpoint_auth_methods_supported
    return (ways && !ways.includes('client_secret_basic') ? post : basic)(server, ...rest)
  }
}

async function discovered(issuer: URL, clientId: string, secret: string | undefined): Promise<Configuration> {
  const library = await oidcLibrary()
  const insecure = issuer.protocol === 'http:' ? [library.allowInsecureRequests] : []
  // The signature is checked as well, although the answer comes from the provider itself.
  const options = { timeout: patience, execute: [library.enableNonRepudiationChecks, ...insecure] }
  return library.discovery(issuer, clientId, undefined, authentication(library, secret), options)
}

/** Configuration of each provider, as it says itself; kept for an hour, or until its options change. */
export function createOidcClients({ clock }: { clock: Clock }) {
  const known = new Map<string, { until: number; version: number; client: Promise<Configuration> }>()

  return async function clientFor(row: ProviderRow, secret: string | undefined): Promise<Configuration> {
    const { issuer, clientId } = optionsOf(row)
    if (!issuer || !clientId || !isSafeIssuer(issuer)) throw new SsoRefusal('provider_inactive')
    const found = known.get(row.id)
    if (found && found.version === row.updated_at && found.until > clock.now()) return found.client
    const client = discovered(new URL(issuer), clientId, secret)
    known.set(row.id, { until: clock.now() + freshMs, version: row.updated_at, client })
    // One that did not answer is asked again by the next person.
    client.catch(() => known.delete(row.id))
    return client
  }
}
