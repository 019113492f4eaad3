import { auditEvents, auditLabel, type AuditKey } from '@app/contract/audit'
import { expect, test } from 'vitest'
import { describe, toTimeline } from './entries.tsx'

/** The part that each event is lost without. A target that is taken away has no snapshot. */
const subjects: Record<string, AuditKey[]> = {
  Team: [
    'team.created',
    'team.deleted',
    'platform.team.created',
    'platform.team.deleted',
    'account.verify.auto-create-team',
    'users.auto-created-team',
  ],
  Updates: [
    'team.settings.updated',
    'project.settings.updated',
    'project.ha.updated',
    'platform.settings.updated',
    'user.updated-user',
  ],
  User: [
    'team.user.removed',
    'team.user.invited',
    'team.user.uninvited',
    'team.user.invite.accepted',
    'team.user.invite.rejected',
    'team.user.role-changed',
    'account.register',
    'account.forgot-password',
    'account.reset-password',
    'account.change-email-request',
    'user.deleted',
    'users.created-user',
    'users.updated-user',
    'users.deleted-user',
  ],
  Device: [
    'team.device.created',
    'team.device.updated',
    'team.device.deleted',
    'team.device.assigned',
    'team.device.unassigned',
    'team.device.credentials-generated',
    'project.device.assigned',
    'project.device.unassigned',
  ],
  Application: ['application.created', 'application.updated', 'application.deleted'],
  Pipeline: [
    'application.pipeline.created',
    'application.pipeline.updated',
    'application.pipeline.deleted',
    'application.pipeline.stage-added',
    'application.pipeline.stage-updated',
    'application.pipeline.stage-deleted',
  ],
  Instance: [
    'project.created',
    'project.deleted',
    'project.duplicated',
    'project.started',
    'project.stopped',
    'project.restarted',
    'project.suspended',
    'project.copied',
    'project.imported',
    'project.flow-imported',
    'project.assigned-to-pipeline-stage',
  ],
  'Instance Type': [
    'project.type.changed',
    'platform.project-type.created',
    'platform.project-type.updated',
    'platform.project-type.deleted',
  ],
  Stack: ['project.stack.changed', 'platform.stack.created', 'platform.stack.updated', 'platform.stack.deleted'],
  Snapshot: [
    'project.device.snapshot.created',
    'project.snapshot.created',
    'project.snapshot.rolled-back',
    'project.snapshot.deleted',
  ],
  License: ['platform.license.applied', 'platform.license.inspected', 'platform.license.overage'],
}

test.each(Object.entries(subjects).flatMap(([subject, events]) => events.map((event) => [event, subject] as const)))(
  '[AUDIT-11] [AUDIT-12] %s without its %s says that this is missing, unless it tells of an error',
  (event, subject) => {
    const sentence = subject === 'Updates' ? 'Updates' : `${subject} data`
    expect(describe(event, {})).toBe(`${sentence} not found in audit entry.`)
    expect(describe(event, { error: { code: 'x', message: 'It failed' } })).toBeUndefined()
  },
)

test('[AUDIT-12] an event that is lost without nothing misses nothing', () => {
  const named = Object.values(subjects).flat()
  for (const event of [
    'account.login',
    'crashed',
    'flows.set',
    'project.start-failed',
    'user.token.created',
  ] as const) {
    expect(named).not.toContain(event)
    expect(describe(event, {})).toBeUndefined()
  }
})

test('[AUDIT-21] every event has a label, and an unknown one is its own', () => {
  for (const key of Object.keys(auditEvents)) expect(auditLabel(key)).toMatch(/^[A-Z][\w -]+$/)
  const entry = {
    id: '1',
    createdAt: '2026-11-21T10:00:00.000Z',
    event: 'not.known',
    username: null,
    scope: { id: 't', type: 'team' as const },
    trigger: { id: null, type: 'system' as const, name: 'Forge Platform' },
    address: null,
    body: {},
  }
  expect(toTimeline(entry)).toMatchObject({ label: 'not.known', who: 'Forge Platform' })
})

test('a move names both applications', () => {
  const body = {
    project: { id: 'i', name: 'oven-line' },
    application: { id: 'b', name: 'Cold store' },
    sourceApplication: { id: 'a', name: 'Oven line' },
  }
  expect(describe('project.moved', body)).toBe('oven-line from Oven line to Cold store')
})

test('an entry says what it is about, and from what to what', () => {
  const named = (name: string) => ({ id: 'x', name })
  const team = { ...named('Bakery'), slug: 'bakery' }
  const [project, application] = [named('oven-line'), named('Oven line')]
  const updates = [{ key: 'active', old: true, new: false, dif: 'updated' as const }]
  expect([
    describe('platform.stack.created', { stack: named('node-red-5') }),
    describe('platform.project-type.updated', { projectType: named('Large'), updates }),
    describe('platform.template.updated', { info: named('Ovens'), updates }),
    describe('platform.backup.created', { info: { name: 'a.backup', size: 38_186, files: 2 } }),
    describe('project.stack.changed', { project, stack: named('node-red-5') }),
    describe('project.snapshot.created', { project, snapshot: named('Before') }),
    describe('project.device.snapshot.created', { project, device: named('Oven 3'), snapshot: named('Tuned') }),
    describe('flows.set', {
      project,
      info: { type: 'full', localUser: 'ann', deviceTime: '2026-11-21T10:00:00.000Z' },
    }),
    describe('project.duplicated', { project, sourceProject: named('lab') }),
    describe('project.copied', { project, targetProject: named('shop') }),
    describe('application.pipeline.created', { team, application, pipeline: named('Release') }),
    describe('team.user.role-changed', { user: { name: 'Mia' }, updates }),
    describe('team.device.updated', {
      device: named('Oven 1'),
      updates: [
        { key: 'tags', old: '', new: 'bakery, floor-2', dif: 'updated' },
        { key: 'type', old: 'Pi', new: '', dif: 'updated' },
        { key: 'nodeRed.memory', old: null, new: 300, dif: 'updated' },
      ],
    }),
    describe('team.device.agent.update-requested', {
      device: named('Oven 1'),
      info: { from: '0.1.0', version: '0.2.0' },
    }),
    describe('team.created', { team }),
    describe('platform.license.applied', { license: { organisation: 'Bakery', id: '7' } }),
    describe('user.token.created', {
      info: { tokenId: 't', tokenName: 'CI', scopes: ['user:read', 'team:edit'], expiresAt: null },
    }),
  ]).toEqual([
    'node-red-5',
    'Large: active from true to false',
    'Ovens: active from true to false',
    'a.backup, size: 38.2 kB, files: 2',
    'oven-line · node-red-5',
    'oven-line · Before',
    'oven-line · Tuned · Oven 3',
    'full deploy, ann on the device, at 2026-11-21T10:00:00.000Z by its clock',
    'oven-line from lab',
    'oven-line to shop',
    'Oven line · Release',
    'Mia: active from true to false',
    'Oven 1: tags from nothing to bakery, floor-2, type from Pi to nothing, nodeRed.memory from nothing to 300',
    'Oven 1 · from 0.1.0 to 0.2.0',
    'Bakery',
    'Bakery, 7',
    'token: CI, scopes: user:read team:edit',
  ])
})

test('a refused sign-in is titled by who and from where, and anything else says from where below', () => {
  const entry = {
    id: '1',
    createdAt: '2026-11-21T10:00:00.000Z',
    event: 'account.login',
    username: null,
    scope: { id: 'u', type: 'user' as const },
    trigger: { id: null, type: 'unknown' as const, name: 'unknown' },
    address: '203.0.113.7',
    body: { user: { id: 'u', username: 'alice' }, error: { code: 'unauthorized', message: 'unauthorized' } },
  }
  const refused = toTimeline(entry)
  expect([refused.label, refused.who]).toEqual(['Sign-in failed: alice, from 203.0.113.7', undefined])
  const trigger = { id: 'u', type: 'user' as const, name: 'Alice' }
  const done = toTimeline({ ...entry, trigger, username: 'alice', body: {} })
  expect([done.label, done.who]).toEqual(['User signed in', 'Alice, from 203.0.113.7'])
  const info = { provider: { id: 'x', name: 'Example Login' } }
  expect(describe('account.login', { info })).toBe('provider: Example Login')
})

test('devices are named, variables without values, and what Node-RED says in its own words is put in ours', () => {
  const named = (name: string) => ({ id: 'x', name })
  const update = (dif: 'created' | 'updated' | 'deleted', key = 'env.PLC_HOST') => ({ key, dif })
  expect([
    describe('team.device.created', { device: named('my-pi') }),
    describe('team.device.assigned', { device: named('my-pi'), project: named('oven-line') }),
    describe('project.settings.updated', {
      project: named('oven-line'),
      updates: [update('created'), update('updated', 'env.KEY.secret'), update('deleted')],
    }),
    describe('library.set', { info: { type: 'flows', path: 'ovens/bake' } }),
    describe('flows.set', { info: { type: 'full', path: '/flows' } }),
    describe('auth.login', { info: { scope: '*', client: 'node-red-editor' } }),
  ]).toEqual([
    'my-pi',
    'oven-line · my-pi',
    'oven-line: variable PLC_HOST added, variable KEY changed, variable PLC_HOST removed',
    'flows ovens/bake',
    'full deploy',
    undefined,
  ])
})
