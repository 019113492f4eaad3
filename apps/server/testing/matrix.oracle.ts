import { type Access, limited, roles, type Scope, scopes } from '@app/contract'

/** The caller, seen from the team that owns everything the calls of the matrix name. */
export interface Caller {
  name: string
  kind: 'anonymous' | 'user' | 'instance' | 'device' | 'provisioning'
  /** Role in that team; absent: no membership. */
  role?: number
  /** Role in the application that holds everything named. Without one, limited members see nothing of it. */
  there?: number
  admin?: true
  /** A gate locks the session. */
  locked?: true
  /** The scopes of the token with which a person calls; absent: a browser session. */
  token?: readonly Scope[]
  /** The token is for the editor of one instance: is it the one named? */
  editor?: 'named' | 'sibling'
  /** For an instance: is it the one named, another of the team, or one of another team? */
  instance?: 'named' | 'sibling' | 'foreign'
  /** For a device: is it the one named, or one of another team? */
  device?: 'named' | 'foreign'
  /** For a provisioning token: is it of the team, or of another? */
  provisioning?: 'named' | 'foreign'
}

export type Verdict = 'allowed' | 401 | 403 | 404

/** Scopes that the token of an instance carries for objects of its own team (docs/specification/permissions.md). */
const ofInstances: readonly Scope[] = [
  'project:flows:view',
  'project:flows:edit',
  'team:projects:list',
  'library:entry:list',
  'library:entry:create',
]

/**
 * The verdict that the permission table demands, worked out from the table alone and not with the
 * server's own judge: two readings of one table, which must agree.
 */
export function expectedVerdict(access: Access, caller: Caller): Verdict {
  if (access.kind === 'public') return 'allowed'
  if (access.kind === 'program' && access.program === 'instance') {
    if (caller.kind !== 'instance') return 401
    return caller.instance === 'named' ? 'allowed' : 404
  }
  if (access.kind === 'program') return caller.device === 'named' ? 'allowed' : 401
  if (caller.kind === 'anonymous') return 401
  if (caller.locked && !access.whileLocked) return 401
  if (access.kind === 'user')
    return caller.kind === 'user' && (!caller.token || (access.byToken && !caller.editor)) ? 'allowed' : 403
  if (caller.token && access.inBrowser) return 403
  const owned = access.target !== 'platform' && access.target !== 'self'
  if (caller.kind === 'instance') {
    if (!owned) return 403
    if (caller.instance === 'foreign') return 404
    return ofInstances.includes(access.scope) ? 'allowed' : 403
  }
  if (caller.kind === 'device') {
    if (!owned) return 403
    if (caller.device === 'foreign') return 404
    return access.scope === 'team:projects:list' ? 'allowed' : 403
  }
  if (caller.kind === 'provisioning') {
    if (!owned) return 403
    const registers = access.scope === 'device:create'
    if (caller.provisioning === 'foreign') return registers ? 401 : 404
    return registers ? 'allowed' : 403
  }
  if (caller.admin) return 'allowed'
  const role = owned && access.target !== 'team' ? roleThere(caller) : caller.role
  if (owned && role === undefined) return 404
  if (owned && caller.editor && !(access.target === 'instance' && caller.editor === 'named')) return 404
  if (caller.token && !caller.token.includes(access.scope)) return 403
  if (access.target === 'self') return 'self' in scopes[access.scope] ? 'allowed' : 403
  if (access.target === 'team' && access.reach && role === limited) return 'allowed'
  const needed = scopes[access.scope].minimum
  return (owned ? role! : roles.none) >= needed ? 'allowed' : 403
}

/** The role on what is in the application. */
function roleThere({ role, there }: Caller): number | undefined {
  return there ?? (role === limited ? undefined : role)
}
