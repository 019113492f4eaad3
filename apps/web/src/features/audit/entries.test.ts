import { auditEvents, auditLabel, type AuditKey } from '@app/contract/audit'
import { expect, test } from 'vitest'
import { describe, toTimeline } from './entries.tsx'

test('[AUDIT-11] [AUDIT-12] what an entry should carry and does not is named, unless it tells of an error', () => {
  const missing = (event: AuditKey) => describe(event, {})
  expect(missing('team.user.invited')).toBe('User data not found in audit entry.')
  expect(missing('team.created')).toBe('Team data not found in audit entry.')
  expect(missing('application.deleted')).toBe('Application data not found in audit entry.')
  expect(missing('project.stack.changed')).toBe('Instance data not found in audit entry.')
  expect(missing('user.updated-user')).toBe('Updates not found in audit entry.')
  expect(describe('project.deleted', { error: { code: 'x', message: 'It failed' } })).toBeUndefined()
  const nameless = Object.keys(auditEvents).filter((event) => /undefined|^ /.test(missing(event as AuditKey) ?? ''))
  expect(nameless).toEqual([])
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
