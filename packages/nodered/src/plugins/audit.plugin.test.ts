import { expect, test } from 'vitest'
import type { CallOptions } from '../platform.client.ts'
import { createAuditReporter } from './audit.plugin.ts'

function begin() {
  const tokens = new Map<string, string>()
  const sent: { path: string; body: unknown }[] = []
  const platform = {
    async call(path: string, { body }: CallOptions = {}) {
      sent.push({ path, body })
    },
  }
  return {
    sent,
    tokens,
    reporter: createAuditReporter(
      platform,
      'one',
      (userId) => tokens.get(userId ?? ''),
      () => {},
    ),
  }
}

test('what people did is reported with their id, without level and name', async () => {
  const { sent, reporter } = begin()
  reporter.handle({
    level: 98,
    event: 'flows.set',
    type: 'full',
    path: '/flows',
    username: 'alice',
    user: { userId: 'u1', username: 'alice', permissions: '*' },
  })
  await reporter.drain(1_000)
  expect(sent).toEqual([
    {
      path: '/logging/one/audit',
      body: { event: 'flows.set', type: 'full', path: '/flows', user: 'u1', timestamp: expect.any(Number) },
    },
  ])
})

test('whoever has the editor open is shown by the token that is theirs when the report goes out', async () => {
  const { sent, tokens, reporter } = begin()
  tokens.set('u1', 'before').set('u2', 'other')
  reporter.handle({ level: 98, event: 'flows.set', user: { userId: 'u1' } })
  tokens.set('u1', 'renewed')
  reporter.handle({ level: 98, event: 'flows.set' })
  await reporter.drain(1_000)
  expect(sent.map(({ body }) => body)).toEqual([
    { event: 'flows.set', user: 'u1', timestamp: expect.any(Number), editorToken: 'renewed' },
    { event: 'flows.set', timestamp: expect.any(Number) },
  ])
})

test('reading, connections and all of auth but sign-ins stay out', async () => {
  const { sent, reporter } = begin()
  for (const event of [
    'comms.open',
    'flows.get',
    'flows.getState',
    'library.getConfig',
    'auth.invalid-token',
    'auth.login',
    'auth.login.revoke',
    'nodes.install',
    '',
  ])
    reporter.handle({ level: 98, event })
  await reporter.drain(1_000)
  expect(sent.map(({ body }) => (body as { event: string }).event)).toEqual([
    'auth.login',
    'auth.login.revoke',
    'nodes.install',
  ])
})

test('an error keeps its message', async () => {
  const { sent, reporter } = begin()
  reporter.handle({ level: 98, event: 'nodes.install', error: new Error('no such module') })
  await reporter.drain(1_000)
  expect(sent[0]?.body).toMatchObject({ error: { code: 'unexpected_error', error: 'no such module' } })
})

test('on a device whoever came through its tunnel is shown by the proof of the request, others by their local name', async () => {
  const { sent, reporter } = begin()
  reporter.handle({ level: 98, event: 'flows.set', user: { username: 'forge', editorToken: 'proof' } })
  reporter.handle({ level: 98, event: 'flows.set', user: { username: 'ann', localUser: 'ann' } })
  await reporter.drain(1_000)
  expect(sent.map(({ body }) => body)).toEqual([
    { event: 'flows.set', timestamp: expect.any(Number), editorToken: 'proof' },
    { event: 'flows.set', timestamp: expect.any(Number), localUser: 'ann' },
  ])
})
