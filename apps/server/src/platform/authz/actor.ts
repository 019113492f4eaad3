/**
 * The kinds of callers that are no people, each with what is known of it. The feature that judges a kind declares this
 * interface again, and its rules under `callers`.
 */
export interface Programs {}
export type ProgramKind = keyof Programs
export type Program<K extends ProgramKind = ProgramKind> = {
  [P in K]: { kind: P; address: string } & Programs[P]
}[K]

/** The caller of a request, or the actor without one. `address` is where it came from, for the audit log. */
export type Actor =
  /** `unknown`: the token is of this kind of program, but this platform never gave it out. */
  | { kind: 'anonymous'; address: string; unknown?: ProgramKind }
  | UserActor
  | Program
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
  /** A provider signed the person in, and no password. */
  byProvider?: boolean
  /**
   * A browser session, or a token that carries only some scopes. A token that somebody made has a name; one with a
   * `targetId` is for that target alone.
   */
  via: { session: string } | { token: string; scopes: readonly string[]; name?: string; targetId?: string }
  address: string
}

/** The person who acts, as kept rows name people; undefined for programs. */
export const personOf = (actor: Actor): { id: string; name: string } | undefined =>
  actor.kind === 'user' ? { id: actor.userId, name: actor.name } : undefined

export const systemActor: Actor = { kind: 'system', address: '' }
