import type { LaunchSpec } from '@app/contract/instance-link'
import { flowCookies } from '@app/contract/instance-link.constants'
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '../platform.client.ts'
import type { FlowAccess } from './flow-access.ts'
import { exchange } from './token.client.ts'

const callbackPath = '/_ffAuth/callback'
/** The second ties a sign-in to the browser that began it. */
const { session: cookieName, state: stateCookie } = flowCookies
const signInMs = 10 * 60_000
/** Sign-ins that are begun and not ended, and sessions; beyond, the oldest goes. */
const most = 10_000
/** Scopes carry the version of what asks. */
const scope = 'httpAuth-1'

interface Session {
  refreshToken: string
  /** Milliseconds since the epoch until which the platform vouches for it. */
  until: number
}
interface SignIn {
  verifier: string
  returnTo: string
  until: number
}

const random = () => randomBytes(32).toString('base64url')

function put<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size >= most) map.delete(map.keys().next().value!)
  map.set(key, value)
}

function cookieOf({ headers: { cookie = '' } }: IncomingMessage, wanted: string): string | undefined {
  for (const part of cookie.split(';')) {
    const [name, value] = part.trim().split('=')
    if (name === wanted) return value
  }
  return undefined
}

const seenByPeople = ({ method, headers }: IncomingMessage) =>
  (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html')

/** Members of the team, by the sign-in of the platform: authorization code with PKCE. */
export function createPlatformAccess({ launch, forgeUrl }: { launch: LaunchSpec; forgeUrl: string }): FlowAccess {
  const sessions = new Map<string, Session>()
  const signIns = new Map<string, SignIn>()
  const redirectUri = `${launch.instanceUrl}${callbackPath}`
  const { slot = 0 } = launch
  const { origin } = new URL(launch.instanceUrl)
  const newId = () => `${slot}.${random()}`
  const secure = launch.instanceUrl.startsWith('https:') ? '; Secure' : ''
  /** Refreshes under way: a page asks for many things at once, and a token is good once. */
  const renewals = new Map<string, Promise<boolean>>()

  async function renew(id: string, session: Session): Promise<boolean> {
    try {
      const answer = await exchange(launch, { grant_type: 'refresh_token', refresh_token: session.refreshToken })
      sessions.set(id, { refreshToken: answer.refresh_token, until: Date.now() + 1000 * answer.expires_in })
      return true
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      sessions.delete(id)
      return false
    }
  }

  function redirect(response: ServerResponse, to: string, headers: Record<string, string> = {}): void {
    response.writeHead(302, { location: to, 'cache-control': 'no-store', ...headers }).end()
  }

  async function finish(request: IncomingMessage, query: URLSearchParams, response: ServerResponse): Promise<void> {
    const state = query.get('state') ?? ''
    const signIn = cookieOf(request, stateCookie) === state ? signIns.get(state) : undefined
    signIns.delete(state)
    const code = query.get('code')
    const deny = (status: number, text: string) =>
      response
        .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
        .end(`${text}\n`)
    if (!signIn || signIn.until < Date.now()) return void deny(400, 'This sign-in has expired. Open the page again.')
    if (!code) return void deny(403, 'You have no access to this instance.')
    try {
      const answer = await exchange(launch, {
        grant_type: 'authorization_code',
        code,
        code_verifier: signIn.verifier,
        redirect_uri: redirectUri,
      })
      const id = newId()
      put(sessions, id, { refreshToken: answer.refresh_token, until: Date.now() + 1000 * answer.expires_in })
      redirect(response, signIn.returnTo, {
        'set-cookie': `${cookieName}=${id}; Path=/; HttpOnly; SameSite=Lax${secure}`,
      })
    } catch (error) {
      deny(error instanceof Refusal ? 403 : 503, 'The sign-in did not work. Open the page again.')
    }
  }

  return {
    async allows(request) {
      // Browsers send the cookie also for pages of sibling hosts, which other teams may have written.
      if (![undefined, origin].includes(request.headers.origin)) return false
      const id = cookieOf(request, cookieName)
      const session = id ? sessions.get(id) : undefined
      if (!id || !session) return false
      if (session.until > Date.now()) return true
      const renewal = renewals.get(id) ?? renew(id, session).finally(() => renewals.delete(id))
      renewals.set(id, renewal)
      return renewal
    },
    refuse(request, response) {
      if (!seenByPeople(request))
        return void response.writeHead(401, { 'content-type': 'text/plain' }).end('Unauthorized\n')
      const [state, verifier] = [newId(), random()]
      // Only a path of this instance: an address of its own would send people elsewhere.
      const returnTo = `/${(request.url ?? '/').replace(/^[/\\]+/, '')}`
      put(signIns, state, { verifier, returnTo, until: Date.now() + signInMs })
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: launch.client.id,
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      })
      redirect(response, `${forgeUrl}/account/authorize?${query.toString()}`, {
        'set-cookie': `${stateCookie}=${state}; Path=/_ffAuth; Max-Age=${signInMs / 1000}; HttpOnly; SameSite=Lax${secure}`,
      })
    },
    handle(request, response) {
      const [path, ...query] = (request.url ?? '/').split('?')
      if (path !== callbackPath) return false
      void finish(request, new URLSearchParams(query.join('?')), response)
      return true
    },
  }
}
