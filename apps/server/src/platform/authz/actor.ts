/** The caller of a request, or the actor without one. `address` is where it came from, for the audit log. */
export type Actor =
  /** `isUnknownDevice`: by a token of a device that this platform never gave out. */
  | { kind: 'anonymous'; address: string; isUnknownDevice?: boolean }
  | UserActor
  | { kind: 'instance'; instanceId: string; teamId: string; address: string }
  /** The agent on a device. */
  | { kind: 'device'; deviceId: string; teamId: string; address: string }
  /** An agent that registers a device, by the token of a team for that. */
  | { kind: 'provisioning'; tokenId: string; name: string; teamId: string; address: string }
  /** An agent that fetches new credentials for its device, by a one-time code; `code` is its hash. */
  | { kind: 'setup'; code: string; deviceId: string; teamId: string; address: string }
  /** A program that reads the statistics of the platform, by the token for that. */
  | { kind: 'statistics'; address: string }
  | { kind: 'system'; address: string }

export interface UserActor {
  kind: 'user'
  userId: string
  username: string
  name: string
  admin: boolean
  /** The password has expired, the address is not verified, or a second factor is missing: few calls are open (SHELL-43). */
  locked: boolean
  /** The platform requires a second factor, and the user has none. */
  lacksSecondFactor?: boolean
  /**
   * A browser session, or a token that carries only some scopes: a personal one has a name, that of an editor is for
   * one instance.
   */
  via: { session: string } | { token: string; scopes: readonly string[]; name?: string; instance?: string }
  address: string
}

/** The person who acts, as kept rows name people; undefined for programs. */
export const personOf = (actor: Actor): { id: string; name: string } | undefined =>
  actor.kind === 'user' ? { id: actor.userId, name: actor.name } : undefined

export const systemActor: Actor = { kind: 'system', address: '' }
