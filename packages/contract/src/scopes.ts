import { type Role, roles } from './roles.ts'

export interface ScopeRule {
  /** Smallest role that has it; a team role counts in the team that owns the object. */
  minimum: Role
  /** Also granted on one's own record. */
  self?: true
  /** A platform setting that, when false, takes it from everyone but administrators. */
  setting?: 'team:create'
  means: string
}

const { none, dashboard, viewer, member, owner, admin } = roles

/** Every permission scope: who has it and what it lets one do (docs/specification/permissions.md). */
export const scopes = {
  'user:create': { minimum: admin, means: 'create users' },
  'user:list': { minimum: admin, means: 'list the users of the platform' },
  'user:read': { minimum: admin, self: true, means: 'read a user record' },
  'user:edit': { minimum: admin, self: true, means: 'change a user record' },
  'user:delete': { minimum: admin, self: true, means: 'delete a user' },
  'user:team:list': { minimum: admin, self: true, means: 'list the teams of a user' },
  'team:create': { minimum: none, setting: 'team:create', means: 'create a team' },
  'team:list': { minimum: admin, means: 'list the teams of the platform' },
  'team:read': { minimum: dashboard, means: 'see that a team exists' },
  'team:edit': { minimum: owner, means: 'change a team' },
  'team:change-type': { minimum: admin, means: 'give a team another type' },
  'team:delete': { minimum: owner, means: 'delete a team' },
  'team:audit-log': { minimum: owner, means: "read a team's audit log" },
  'team:user:list': { minimum: viewer, means: 'list the members of a team' },
  // Nobody is put into a team without being asked, so no call takes it (PERM-15).
  'team:user:add': { minimum: admin, means: 'add a member to a team' },
  'team:user:invite': { minimum: owner, means: 'invite people into a team' },
  'team:user:remove': { minimum: owner, self: true, means: 'remove a member; oneself: leave' },
  'team:user:change-role': { minimum: owner, means: 'change the role of a member' },
  'settings:edit': { minimum: admin, means: 'change the settings of the platform' },
  'platform:backup': { minimum: admin, means: 'create, download and delete backups of the platform' },
  'platform:operate': { minimum: admin, means: 'see the health of the platform, and retry and cancel its jobs' },
  'saml-provider:list': { minimum: admin, means: 'list the providers of single sign-on' },
  'saml-provider:read': { minimum: admin, means: 'read a provider of single sign-on and its last sign-ins' },
  'saml-provider:create': { minimum: admin, means: 'create a provider of single sign-on' },
  'saml-provider:edit': { minimum: admin, means: 'change a provider of single sign-on' },
  'saml-provider:delete': { minimum: admin, means: 'delete a provider of single sign-on' },
  'license:read': { minimum: admin, means: 'read the licence' },
  'license:edit': { minimum: admin, means: 'inspect and apply a licence' },
  'platform:debug': { minimum: admin, means: 'see the schema of the database' },
  'platform:stats': { minimum: admin, means: 'read the statistics of the platform' },
  'platform:stats:token': { minimum: admin, means: 'create and revoke the token for statistics' },
  'platform:scim': { minimum: admin, means: 'create and revoke tokens for provisioning by SCIM' },
  'platform:audit-log': { minimum: admin, means: 'read, export and verify the audit log of the platform' },
  'invitation:list': { minimum: admin, means: 'list the invitations of every team' },
  'team:projects:list': { minimum: viewer, means: 'list applications and instances' },
  'project:create': { minimum: owner, means: 'create applications and instances' },
  'project:delete': { minimum: owner, means: 'delete applications and instances' },
  'project:read': { minimum: viewer, means: 'read an application or an instance' },
  'project:edit-env': { minimum: member, means: 'change the environment variables of an instance' },
  'project:edit': { minimum: owner, means: 'change an application or an instance' },
  'project:transfer': { minimum: owner, means: 'move an instance to another application of its team' },
  'team:device:list': { minimum: viewer, means: 'list the devices of a team' },
  'team:device:provisioning-token:list': { minimum: owner, means: 'list the provisioning tokens of a team' },
  'team:device:provisioning-token:create': { minimum: owner, means: 'create provisioning tokens' },
  'team:device:provisioning-token:edit': { minimum: owner, means: 'change provisioning tokens' },
  'team:device:provisioning-token:delete': { minimum: owner, means: 'revoke provisioning tokens' },
  'device:list': { minimum: admin, means: 'list the devices of every team' },
  'device:create': { minimum: owner, means: 'add devices to a team' },
  'device:read': { minimum: viewer, means: 'read a device and its variables' },
  'device:audit-log': { minimum: viewer, means: 'read the audit log of a device' },
  'device:edit': {
    minimum: owner,
    means: 'change a device, assign it and renew its credentials; in the console also act on instances from their list',
  },
  'device:edit-env': { minimum: member, means: 'change the environment variables of a device' },
  'device:change-status': { minimum: owner, means: 'start, restart and suspend the flows of a device' },
  'device:editor': { minimum: member, means: 'open the editor of a device in developer mode' },
  'device:delete': { minimum: owner, means: 'delete devices' },
  'project:change-status': { minimum: owner, means: 'start, restart, stop and suspend an instance' },
  'project:log': { minimum: viewer, means: 'read the log of an instance' },
  'project:audit-log': { minimum: viewer, means: 'read the audit log of an instance' },
  'project:flows:view': { minimum: viewer, means: 'open the editor of an instance, read-only' },
  'project:flows:edit': { minimum: member, means: 'open the editor of an instance and deploy' },
  'project:flows:http': { minimum: dashboard, means: 'use protected HTTP endpoints of an instance' },
  'library:entry:list': { minimum: member, means: 'see the shared library of a team' },
  'library:entry:create': { minimum: member, means: 'save to the shared library of a team' },
  'library:entry:delete': { minimum: member, means: 'delete from the shared library of a team' },
  'project:snapshot:list': { minimum: viewer, means: 'list the snapshots of an instance' },
  'project:snapshot:read': { minimum: viewer, means: 'read a snapshot with its flows' },
  'project:snapshot:create': { minimum: member, means: 'create snapshots of an instance' },
  'project:snapshot:delete': { minimum: owner, means: 'delete snapshots' },
  'project:snapshot:set-target': { minimum: member, means: 'choose the snapshot that the devices of an instance run' },
  'project:snapshot:rollback': { minimum: member, means: 'roll an instance back to a snapshot' },
  'application:pipelines:list': { minimum: member, means: 'see the pipelines of an application' },
  'application:pipelines:create': { minimum: owner, means: 'add pipelines to an application' },
  'application:pipelines:update': { minimum: owner, means: 'rename a pipeline' },
  'application:pipelines:delete': { minimum: owner, means: 'delete a pipeline' },
  'pipeline:view': { minimum: member, means: 'see a stage of a pipeline' },
  'pipeline:edit': { minimum: owner, means: 'add and change stages of a pipeline' },
  'pipeline:delete': { minimum: owner, means: 'remove stages from a pipeline' },
  'template:list': { minimum: none, means: 'list templates' },
  'template:read': { minimum: none, means: 'read a template' },
  'template:create': { minimum: admin, means: 'create a template' },
  'template:edit': { minimum: admin, means: 'change a template' },
  'template:delete': { minimum: admin, means: 'delete a template' },
  'stack:list': { minimum: none, means: 'list stacks' },
  'stack:read': { minimum: none, means: 'read a stack' },
  'stack:create': { minimum: admin, means: 'create a stack' },
  'stack:edit': { minimum: admin, means: 'change a stack' },
  'stack:delete': { minimum: admin, means: 'delete a stack' },
  'project-type:list': { minimum: none, means: 'list instance types' },
  'project-type:read': { minimum: none, means: 'read an instance type' },
  'project-type:create': { minimum: admin, means: 'create an instance type' },
  'project-type:edit': { minimum: admin, means: 'change an instance type' },
  'project-type:delete': { minimum: admin, means: 'delete an instance type' },
  'team-type:create': { minimum: admin, means: 'create a team type' },
  'team-type:edit': { minimum: admin, means: 'change a team type' },
  'team-type:delete': { minimum: admin, means: 'delete a team type' },
} as const satisfies Record<string, ScopeRule>

export type Scope = keyof typeof scopes

const registered = new Map<string, ScopeRule>()

/**
 * Adds a scope while the platform starts, for what is no part of the table; every check then knows it (PERM-06).
 * @throws Error for a name that there is already.
 */
export function registerScope(name: string, rule: ScopeRule): Scope {
  if (name in scopes || registered.has(name)) throw new Error(`There is a permission scope ${name} already`)
  registered.set(name, rule)
  return name as Scope
}

/** The rule that says who has a scope. @throws Error for a scope name that does not exist (PERM: unknown scope). */
export function ruleOf(scope: Scope): ScopeRule {
  const rule: ScopeRule | undefined = scopes[scope] ?? registered.get(scope)
  if (!rule) throw new Error(`Unknown permission scope: ${String(scope)}`)
  return rule
}

/**
 * Does this role carry this scope? A pure question, asked by the server before it acts and by the
 * console before it shows a control.
 * @throws Error for a scope name that does not exist (PERM: unknown scope).
 */
export const allows = (role: number, scope: Scope): boolean => role >= ruleOf(scope).minimum
