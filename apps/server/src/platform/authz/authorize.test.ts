import { registerScope, roles, type Scope } from '@app/contract'
import { expect, test } from 'vitest'
import type { Actor, UserActor } from './actor.ts'
import { authorize, type LoadedTarget } from './authorize.ts'

const person = (more: Partial<UserActor> = {}): UserActor => ({
  kind: 'user',
  userId: 'u',
  username: 'u',
  name: 'U',
  admin: false,
  locked: false,
  via: { session: 's' },
  address: '',
  ...more,
})
const rules = (allowed: boolean) => ({ setting: async () => allowed, callers: {} })
const judge = (
  actor: Actor,
  scope: Scope,
  loaded?: LoadedTarget,
  target: 'team' | 'platform' | 'self' = 'team',
  setting = true,
) =>
  authorize(actor, scope, target, loaded, rules(setting)).catch(
    (error: unknown) => (error as { status: number }).status,
  )
const team = (role?: number): LoadedTarget => ({ teamId: 't', role })

test('[PERM-04] roles are compared as numbers: a role between two named ones counts as it is', async () => {
  expect(await judge(person(), 'team:edit', team(49))).toBe(403)
  expect(await judge(person(), 'team:edit', team(50))).toBe(50)
  expect(await judge(person(), 'project:read', team(11))).toBe(11)
})

test('an administrator passes with a session and not with a token', async () => {
  expect(await judge(person({ admin: true }), 'team:edit', team())).toBe(roles.admin)
  expect(await judge(person({ admin: true }), 'team:edit', team(roles.viewer))).toBe(roles.viewer)
  const token = person({ admin: true, via: { token: 'x', scopes: ['team:edit', 'user:read'] } })
  expect(await judge(token, 'team:edit', team())).toBe(404)
  expect(await judge(token, 'team:edit', team(roles.viewer))).toBe(403)
  expect(await judge(token, 'user:read', undefined, 'self')).toBe(roles.none)
  expect(await judge(token, 'user:edit', undefined, 'self')).toBe(403)
})

test('[PERM-67] a setting that is off refuses everybody but administrators with a session', async () => {
  expect(await judge(person(), 'team:create', undefined, 'platform', true)).toBe(roles.none)
  expect(await judge(person(), 'team:create', undefined, 'platform', false)).toBe(403)
  expect(await judge(person({ admin: true }), 'team:create', undefined, 'platform', false)).toBe(roles.admin)
})

test('the platform itself may do everything, nobody nothing, and what is not there is not there', async () => {
  expect(await judge({ kind: 'system', address: '' }, 'project:delete', team())).toBe(roles.admin)
  expect(await judge({ kind: 'anonymous', address: '' }, 'template:list', undefined, 'platform')).toBe(401)
  expect(await judge(person({ admin: true }), 'team:read')).toBe(404)
})

test('[PERM-06] a scope that is registered while the platform starts is judged like those of the table', async () => {
  const scope = registerScope('oven:heat', { minimum: roles.member, means: 'heat the oven' })
  expect(await judge(person(), scope, team(roles.viewer))).toBe(403)
  expect(await judge(person(), scope, team(roles.member))).toBe(roles.member)
  expect(await judge(person(), scope, team())).toBe(404)
  const own = registerScope('oven:look', { minimum: roles.admin, self: true, means: 'look into the oven' })
  expect(await judge(person(), own, undefined, 'self')).toBe(roles.none)
  expect(await judge(person(), own, undefined, 'platform')).toBe(403)
})
