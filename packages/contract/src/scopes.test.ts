import { expect, test } from 'vitest'
import { isTeamRole, roleName, roles, teamRoles } from './roles.ts'
import { routes } from './routes.ts'
import type { Route } from './route.ts'
import { allows, registerScope, type Scope, scopes } from './scopes.ts'

/** The permission table, written down a second time: the smallest role of each scope. */
const decided: Record<Scope, number> = {
  'user:create': 99,
  'user:list': 99,
  'user:read': 99,
  'user:edit': 99,
  'user:delete': 99,
  'user:team:list': 99,
  'team:create': 0,
  'team:list': 99,
  'team:read': 5,
  'team:edit': 50,
  'team:change-type': 99,
  'team:delete': 50,
  'team:audit-log': 50,
  'team:user:list': 10,
  'team:user:add': 99,
  'team:user:invite': 50,
  'team:user:remove': 50,
  'team:user:change-role': 50,
  'settings:edit': 99,
  'platform:backup': 99,
  'platform:operate': 99,
  'saml-provider:list': 99,
  'saml-provider:read': 99,
  'saml-provider:create': 99,
  'saml-provider:edit': 99,
  'saml-provider:delete': 99,
  'license:read': 99,
  'license:edit': 99,
  'platform:debug': 99,
  'platform:stats': 99,
  'platform:stats:token': 99,
  'platform:scim': 99,
  'platform:audit-log': 99,
  'invitation:list': 99,
  'team:projects:list': 10,
  'project:create': 50,
  'project:delete': 50,
  'project:read': 10,
  'project:edit-env': 30,
  'project:edit': 50,
  'project:transfer': 50,
  'team:device:list': 10,
  'team:device:provisioning-token:list': 50,
  'team:device:provisioning-token:create': 50,
  'team:device:provisioning-token:edit': 50,
  'team:device:provisioning-token:delete': 50,
  'device:list': 99,
  'device:create': 50,
  'device:read': 10,
  'device:audit-log': 10,
  'device:edit': 50,
  'device:edit-env': 30,
  'device:change-status': 50,
  'device:editor': 30,
  'device:delete': 50,
  'project:change-status': 50,
  'project:log': 10,
  'project:audit-log': 10,
  'project:flows:view': 10,
  'project:flows:edit': 30,
  'project:flows:http': 5,
  'library:entry:list': 30,
  'library:entry:create': 30,
  'library:entry:delete': 30,
  'project:snapshot:list': 10,
  'project:snapshot:read': 10,
  'project:snapshot:create': 30,
  'project:snapshot:delete': 50,
  'project:snapshot:set-target': 30,
  'project:snapshot:rollback': 30,
  'application:pipelines:list': 30,
  'application:pipelines:create': 50,
  'application:pipelines:update': 50,
  'application:pipelines:delete': 50,
  'pipeline:view': 30,
  'pipeline:edit': 50,
  'pipeline:delete': 50,
  'template:list': 0,
  'template:read': 0,
  'template:create': 99,
  'template:edit': 99,
  'template:delete': 99,
  'stack:list': 0,
  'stack:read': 0,
  'stack:create': 99,
  'stack:edit': 99,
  'stack:delete': 99,
  'project-type:list': 0,
  'project-type:read': 0,
  'project-type:create': 99,
  'project-type:edit': 99,
  'project-type:delete': 99,
  'team-type:create': 99,
  'team-type:edit': 99,
  'team-type:delete': 99,
}

test('[PERM-01] [PERM-03] the roles have their numbers and names, and four of them stand in a team', () => {
  expect(roles).toEqual({ none: 0, dashboard: 5, viewer: 10, member: 30, owner: 50, admin: 99 })
  expect(teamRoles).toEqual([5, 10, 30, 50])
  expect([0, 5, 7, 10, 30, 50, 99].filter(isTeamRole)).toEqual([5, 10, 30, 50])
  expect([0, 5, 10, 30, 50, 99, 7].map(roleName)).toEqual([
    'none',
    'dashboard',
    'viewer',
    'member',
    'owner',
    'admin',
    'none',
  ])
})

test('[PERM-05] every scope needs the role that was decided', () => {
  expect(Object.fromEntries(Object.entries(scopes).map(([name, { minimum }]) => [name, minimum]))).toEqual(decided)
})

test.each(Object.entries(decided) as [Scope, number][])(
  '[PERM-04] %s begins at role %i and not below',
  (scope, minimum) => {
    const having = Object.values(roles).filter((role) => allows(role, scope))
    expect(having).toEqual(Object.values(roles).filter((role) => role >= minimum))
    expect(allows(minimum - 1, scope)).toBe(false)
  },
)

test('one has the record of oneself, and one setting takes a scope away', () => {
  const marked = (mark: 'self' | 'setting') =>
    Object.entries(scopes)
      .filter(([, rule]) => mark in rule)
      .map(([name]) => name)
  expect(marked('self')).toEqual(['user:read', 'user:edit', 'user:delete', 'user:team:list', 'team:user:remove'])
  expect(marked('setting')).toEqual(['team:create'])
})

test('[ERR-02] asking for a scope that does not exist is an error', () => {
  expect(() => allows(99, 'team:destroy' as Scope)).toThrow('Unknown permission scope: team:destroy')
})

test('[PERM-27] [PERM-41] to look into the database is for administrators, to transfer an instance for owners', () => {
  expect([scopes['platform:debug'].minimum, scopes['project:transfer'].minimum]).toEqual([99, 50])
})

test('a scope is registered once, and a name of the table never', () => {
  const scope = registerScope('test:once', { minimum: roles.member, means: 'be tested' })
  expect([29, 30].map((role) => allows(role, scope))).toEqual([false, true])
  for (const taken of ['test:once', 'team:read'])
    expect(() => registerScope(taken, { minimum: roles.none, means: 'take it over' })).toThrow(`scope ${taken} already`)
})

test('every scope is asked for by a route, or by the sign-in to editors and endpoints', () => {
  const used = (Object.values(routes) as Route[]).flatMap(({ access }) =>
    access.kind === 'scope' ? [access.scope] : [],
  )
  const bySignIn: Scope[] = ['project:flows:view', 'project:flows:edit', 'project:flows:http']
  const byNothing: Scope[] = ['team:user:add']
  expect(
    (Object.keys(scopes) as Scope[]).filter((scope) => ![...used, ...bySignIn, ...byNothing].includes(scope)),
  ).toEqual([])
})
