/** Who makes a request, or acts without one. `address` is where from, for the audit log. */
export type Actor =
  | { kind: 'anonymous'; address: string }
  | UserActor
  | { kind: 'instance'; instanceId: string; teamId: string; address: string }
  | { kind: 'system'; address: string }

export interface UserActor {
  kind: 'user'
  userId: string
  username: string
  name: string
  admin: boolean
  /** The password has expired or the address is not verified: only a few calls are open (SHELL-43). */
  locked: boolean
  /** A browser session, or a token that carries only some scopes. */
  via: { session: string } | { token: string; scopes: readonly string[] }
  address: string
}

export const systemActor: Actor = { kind: 'system', address: '' }
