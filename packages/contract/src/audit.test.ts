import { expect, test } from 'vitest'
import { AuditBody, auditEvents, auditIcon, auditLabel, AuditQuery } from './audit.ts'

const keys = Object.keys(auditEvents)

test.each(keys)(
  '[AUDIT-16] [AUDIT-17] %s has a log it stands in, a label, an icon, and a body of known objects',
  (key) => {
    const { scopes, label, body } = auditEvents[key as keyof typeof auditEvents]
    expect(scopes.length).toBeGreaterThan(0)
    expect(['platform', 'user', 'team', 'project']).toEqual(expect.arrayContaining([...scopes]))
    expect(label).toMatch(/^[A-Z].*[a-z]$/)
    expect(auditLabel(key)).toBe(label)
    expect(auditIcon(key)).toMatch(/^[a-z-]+$/)
    for (const part of body) expect(AuditBody.def.shape).toHaveProperty(part)
  },
)

test('[AUDIT-14] a body may hold each object that an entry is about', () => {
  const ref = { id: '1', name: 'Oven' }
  const refs = ['device', 'project', 'sourceProject', 'targetProject', 'application', 'pipeline', 'pipelineStage']
  const body = {
    ...Object.fromEntries([...refs, 'snapshot', 'stack', 'projectType'].map((key) => [key, ref])),
    error: { code: 'not_found', message: 'Not found' },
    team: { ...ref, slug: 'oven' },
    user: { ...ref, username: 'oven', role: 'member' },
    role: { role: 'member' },
    updates: [{ key: 'name', old: 'Stove', new: 'Oven', dif: 'updated' }],
    info: { count: 2 },
    license: { key: 'unreadable' },
    billingSession: { id: 'cs_1' },
  }
  expect(AuditBody.parse(body)).toEqual(body)
})

test('[AUDIT-20] what happens inside Node-RED has events', () => {
  expect(keys).toEqual(
    expect.arrayContaining(['crashed', 'stopped', 'settings.update', 'flows.set', 'library.set', 'nodes.install']),
  )
})

test('[AUDIT-21] an unknown key is its own label with the general icon', () => {
  expect([auditLabel('moon.landed'), auditIcon('moon.landed')]).toEqual(['moon.landed', 'general'])
})

test.each([
  ['account.login', 'sign-in'],
  ['auth.login', 'sign-in'],
  ['user.updated-user', 'user'],
  ['application.created', 'application'],
  ['project.created', 'instance'],
  ['team.settings.updated', 'settings'],
  ['platform.team.created', 'general'],
  ['flows.set', 'runtime'],
  ['crashed', 'runtime'],
  ['team.user.invited', 'user'],
  ['team.device.created', 'device'],
  ['project.device.assigned', 'device'],
  ['application.pipeline.created', 'pipeline'],
  ['project.snapshot.created', 'snapshot'],
  ['platform.license.applied', 'licence'],
  ['platform.project-type.created', 'type'],
  ['platform.team-type.created', 'type'],
  ['platform.stack.created', 'stack'],
  ['platform.settings.updated', 'settings'],
  ['nodes.install', 'runtime'],
  ['library.set', 'runtime'],
  ['context.delete', 'runtime'],
])('[AUDIT-17] %s shows the icon %s', (key, icon) => {
  expect(auditIcon(key)).toBe(icon)
})

test('[AUDIT-15] a body holds objects and changes of key, old and new', () => {
  const change = { key: 'name', old: 'a', new: 'b', dif: 'updated' }
  expect(AuditBody.safeParse({ team: { id: 't', name: 'T', slug: 't' }, updates: [change] }).success).toBe(true)
  expect(AuditBody.safeParse({ updates: [{ ...change, dif: 'other' }] }).success).toBe(false)
  expect(AuditBody.safeParse({ team: { id: 't' } }).success).toBe(false)
})

test('[API-07] a query takes one event or several, and numbers as text', () => {
  expect(AuditQuery.parse({ event: 'a', limit: '20' })).toEqual({ event: 'a', limit: 20 })
  expect(AuditQuery.parse({ event: ['a', 'b'] })).toEqual({ event: ['a', 'b'] })
})
