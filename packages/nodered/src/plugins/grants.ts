import { setTimeout as delay } from 'node:timers/promises'
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

/** The user of an editor session, as Node-RED keeps it. */
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
  /**
   * Asks for a person who signed in to an earlier process of this instance.
   * @throws Refusal when that sign-in has ended; Error when the platform cannot say at the moment.
   */
  resume(username: string): Promise<{ person: Person; answer: TokenAnswer }>
  /** The person may not use the editor any more, or not as before. */
  onEnd(username: string): void
}

/** A refresh in good time: a minute before the end, or at half of a very short life. */
const refreshAfterMs = (seconds: number) => 1000 * Math.max(seconds - 60, seconds / 2)
const retryMs = 5_000
/** Patience for an editor that reconnects while the platform restarts. */
const patienceMs = 20_000
const pauseMs = 500

/** The people who are signed in to this editor, each with the platform's tokens, kept fresh until it refuses. */
export function createGrants({ refresh, resume, onEnd }: GrantsOptions) {
  const grants = new Map<string, Grant>()
  /** An editor that reconnects asks several times at once. */
  const resuming = new Map<string, Promise<EditorUser | undefined>>()

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

  function add(person: Person, answer: TokenAnswer): EditorUser | undefined {
    if (answer.scope !== '*' && answer.scope !== 'read') return undefined
    const user = { ...person, permissions: answer.scope }
    const before = grants.get(person.username)
    if (before && before.user.permissions !== user.permissions) end(person.username)
    keep(user, answer)
    return user
  }

  async function resumed(username: string): Promise<EditorUser | undefined> {
    // Node-RED handles no errors here.
    for (const until = Date.now() + patienceMs; Date.now() < until; await delay(pauseMs)) {
      try {
        const { person, answer } = await resume(username)
        // A sign-in in the meantime brought newer tokens.
        return grants.get(username)?.user ?? add(person, answer)
      } catch (error) {
        if (error instanceof Refusal) return undefined
      }
    }
    return undefined
  }

  return {
    /** A person signed in. Scopes other than write and read give no access. */
    add,
    /**
     * The person behind a session, also behind one that was opened before this process started; undefined when the
     * platform has ended the sign-in or cannot be asked for 20 s.
     */
    async user(username: string): Promise<EditorUser | undefined> {
      const known = grants.get(username)
      if (known) return known.user
      const asked = resuming.get(username) ?? resumed(username).finally(() => resuming.delete(username))
      resuming.set(username, asked)
      return asked
    },
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
