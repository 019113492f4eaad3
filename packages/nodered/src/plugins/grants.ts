import { Refusal } from '../platform.client.ts'

export interface Person {
  userId: string
  username: string
  image?: string
}

/** Answer of POST /account/token. `expires_in` in seconds; `scope` '*' may deploy, 'read' may look. */
export interface TokenAnswer {
  access_token: string
  refresh_token: string
  expires_in: number
  scope: string
}

/** What Node-RED keeps as the user of an editor session. */
export interface EditorUser extends Person {
  permissions: string
}

interface Grant {
  user: EditorUser
  accessToken: string
  refreshToken: string
  timer: NodeJS.Timeout
}

export interface GrantsOptions {
  /** Exchanges a refresh token. @throws Refusal when the platform says no. */
  refresh(refreshToken: string): Promise<TokenAnswer>
  /** The person may not use the editor any more, or not as before. */
  onEnd(username: string): void
}

/** A refresh in good time: a minute before the end, or at half of a very short life. */
const refreshAfterMs = (seconds: number) => 1000 * Math.max(seconds - 60, seconds / 2)
const retryMs = 5_000

/** The people who are signed in to this editor, each with the platform's tokens, kept fresh until it refuses. */
export function createGrants({ refresh, onEnd }: GrantsOptions) {
  const grants = new Map<string, Grant>()

  function end(username: string): void {
    const grant = grants.get(username)
    if (!grant) return
    clearTimeout(grant.timer)
    grants.delete(username)
    onEnd(username)
  }

  function schedule(username: string, ms: number): NodeJS.Timeout {
    return setTimeout(() => void renew(username), ms).unref()
  }

  async function renew(username: string): Promise<void> {
    const grant = grants.get(username)
    if (!grant) return
    try {
      const answer = await refresh(grant.refreshToken)
      if (grants.get(username) !== grant) return
      // Node-RED copied the permission into the session, so another one needs another session.
      if (answer.scope !== grant.user.permissions) return end(username)
      keep(grant.user, answer)
    } catch (error) {
      if (grants.get(username) !== grant) return
      if (error instanceof Refusal) return end(username)
      // Nothing can be saved while the platform is away; the session may wait for it, and so may its unsaved work.
      grant.timer = schedule(username, retryMs)
    }
  }

  function keep(user: EditorUser, answer: TokenAnswer): void {
    clearTimeout(grants.get(user.username)?.timer)
    grants.set(user.username, {
      user,
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token,
      timer: schedule(user.username, refreshAfterMs(answer.expires_in)),
    })
  }

  return {
    /** A person signed in. Scopes other than write and read give no access. */
    add(person: Person, answer: TokenAnswer): EditorUser | undefined {
      if (answer.scope !== '*' && answer.scope !== 'read') return undefined
      const user = { ...person, permissions: answer.scope }
      const before = grants.get(person.username)
      if (before && before.user.permissions !== user.permissions) end(person.username)
      keep(user, answer)
      return user
    },
    /** The person behind a session; undefined after a restart of this process too, so everybody signs in again. */
    user: (username: string): EditorUser | undefined => grants.get(username)?.user,
    /** The token of the platform for this person, which shows that they have this editor open. */
    tokenOf(userId: string | undefined): string | undefined {
      for (const { user, accessToken } of grants.values()) if (user.userId === userId) return accessToken
      return undefined
    },
    /** Ends the grant that holds this token of the platform. */
    revoke(accessToken: string): void {
      for (const [username, grant] of grants) if (grant.accessToken === accessToken) end(username)
    },
  }
}
