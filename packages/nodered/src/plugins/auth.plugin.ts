import type { LaunchSpec } from '@app/contract/instance-link'
import { callbackify } from 'node:util'
import OAuth2Strategy from 'passport-oauth2'
import { isOk, send } from '../http.client.ts'
import { createGrants, type EditorUser, type Person, type TokenAnswer } from './grants.ts'
import { Refusal } from '../platform.client.ts'
import { exchange } from './token.client.ts'

export interface AuthOptions {
  launch: LaunchSpec
  /** The address of the platform as people reach it. */
  forgeUrl: string
  /** Where the editor answers, starting and ending with a slash. */
  adminRoot: string
  /** Ends the editor sessions of this person. */
  endSessions(username: string): void
  /** Ends those of this person that were opened with another permission; resolves to whether there were any. */
  endOthers(username: string, scope: string): Promise<boolean>
}

/** The addresses of the platform: as this process reaches it, and as people do. */
interface Urls {
  platformUrl: string
  forgeUrl: string
}

type Verified = (error: Error | null, user?: EditorUser | false) => void
/** The key by which Node-RED looks a user up: the name of a session, or the profile of a sign-in. */
type UserKey = string | { username: string }

const timeoutMs = 15_000
/** Scopes carry the version of what asks, so the platform can tell what it understands. */
const scopeVersion = '1'

/**
 * Editor sign-in through the platform: authorization code with PKCE. People go to the public address, the
 * calls for tokens and profile to the one that this process reaches.
 */
export function createAuth({ launch, forgeUrl, adminRoot, endSessions, endOthers }: AuthOptions) {
  const { platformUrl, client } = launch
  const grants = createGrants({
    refresh: async (token) => exchange(launch, { grant_type: 'refresh_token', refresh_token: token }),
    async resume(username) {
      const answer = await exchange(launch, { grant_type: 'editor_session', username })
      // Node-RED does not say which session asks, so none counts that may do more or less than the platform now says.
      if (await endOthers(username, answer.scope)) throw new Refusal(403, 'access_denied', 'The role has changed')
      return { person: await loadPerson({ platformUrl, forgeUrl }, answer.access_token), answer }
    },
    onEnd: endSessions,
  })
  const users = async (key: UserKey) => (await grants.user(typeof key === 'string' ? key : key.username)) ?? null

  const adminAuth = {
    type: 'strategy',
    strategy: {
      name: 'forge',
      label: 'Sign in',
      strategy: PlatformStrategy,
      autoLogin: true,
      options: {
        authorizationURL: `${forgeUrl}/account/authorize`,
        tokenURL: `${platformUrl}/account/token`,
        callbackURL: `${launch.instanceUrl}${adminRoot}auth/strategy/callback`,
        clientID: client.id,
        clientSecret: client.secret,
        scope: `editor-${scopeVersion}`,
        pkce: 'S256',
        state: true,
        platformUrl,
        forgeUrl,
        // Five parameters, or the strategy leaves out the token answer.
        verify(_access: string, _refresh: string, answer: TokenAnswer, person: Person, done: Verified) {
          const user = grants.add(person, answer)
          done(null, user ?? false)
        },
      },
    },
    users,
    authenticate: users,
  }
  return { adminAuth, revoke: grants.revoke, tokenOf: grants.tokenOf }
}

/** Differs from its parent in its name and in where the profile comes from. */
class PlatformStrategy extends OAuth2Strategy {
  readonly urls: Urls
  constructor(options: OAuth2Strategy.Options & Urls, verify: OAuth2Strategy.Verify) {
    super(options, verify)
    this.name = 'forge'
    this.urls = options
  }
  /** Node-RED shows the text of an error above its sign-in button; what the query says is not shown, as a link could say anything. */
  override authenticate(request: { query: Record<string, unknown> }, options: unknown): void {
    if (!request.query['error']) super.authenticate(request, options)
    else this.error(Object.assign(new Error('You have no access to the editor of this instance'), { name: '' }))
  }
  override userProfile(accessToken: string, done: (error: Error | null, person?: Person) => void): void {
    callbackify(loadPerson)(this.urls, accessToken, done)
  }
}

async function loadPerson({ platformUrl, forgeUrl }: Urls, accessToken: string): Promise<Person> {
  const answer = await send(`${platformUrl}/api/v1/user/`, {
    headers: { authorization: `Bearer ${accessToken}` },
    timeoutMs,
  })
  if (!isOk(answer)) throw new Error('The platform did not say who signed in')
  const { id, username, avatar } = JSON.parse(answer.text) as { id: string; username: string; avatar?: string }
  return { userId: id, username, ...(avatar ? { image: new URL(avatar, forgeUrl).href } : {}) }
}
