import { type AuditEntry, type Instance, reportedEvents } from '@app/contract'
import { createHash } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPlatform, send, testClock, type TestUser, untilJobsEnded } from '../../../testing/index.ts'
import type { EditorGrant } from '../tokens/index.ts'

const clock = testClock()
let instance: Instance
let sibling: Instance
let token: string
let alice: TestUser

const { server, owner, team } = await openPlatform({ clock })
beforeAll(async () => {
  const application = await server.build.application(owner, team)
  instance = await server.build.instance(owner, application, 'oven-line')
  sibling = await server.build.instance(owner, application, 'sibling')
  await untilJobsEnded(server.app.database)
  token = await server.build.instanceToken(instance)
})
beforeEach(async () => {
  alice = await server.build.member(team, 30)
})

const post = (path: string, body: unknown) =>
  send(server.address, 'POST', path, { headers: { authorization: `Bearer ${token}` }, body })
const report = (body: object) => post(`/logging/${instance.id}/audit`, body)
const newest = async (): Promise<AuditEntry> =>
  (await owner.client.call('instance.auditLog', { params: { instanceId: instance.id }, query: {} })).log[0]!

const editorToken = async (user: TestUser, of: Instance = instance, grant: EditorGrant = '*') =>
  (await server.app.database.transact((tx) => server.app.services.tokens.forEditor(tx, user.id, of.id, grant))).access

const claimOf = (user: TestUser) => ({
  username: null,
  trigger: { id: instance.id, type: 'system', name: `oven-line (says: ${user.username})` },
  body: { claimedUser: { id: user.id, name: user.username, username: user.username } },
})
const knowledgeOf = (user: TestUser) => ({
  username: user.username,
  trigger: { id: user.id, type: 'user', name: user.username },
})

describe('whom an instance names in the audit log', () => {
  test('is a claim of the instance, in the log, in files and for whoever looks for the person', async () => {
    await report({ event: 'flows.set', user: alice.id })
    expect(await newest()).toMatchObject(claimOf(alice))
    const of = { params: { instanceId: instance.id } }
    const theirs = await owner.client.call('instance.auditLog', { ...of, query: { username: alice.username } })
    expect(theirs.log).toEqual([])
    const found = await owner.client.call('instance.auditLog', { ...of, query: { query: alice.username } })
    expect(found.log).toMatchObject([claimOf(alice)])
    const admin = await server.build.user({ admin: true })
    const file = await send(server.address, 'GET', '/api/v1/admin/audit-log/export?format=csv&scope=project', {
      headers: { cookie: admin.cookie },
    })
    expect(file.status).toBe(200)
    expect(file.text).toContain(`"","oven-line (says: ${alice.username})"`)
  })

  test('is known where the instance shows the token that the editor was given for that person', async () => {
    await report({ event: 'flows.set', user: { userId: alice.id }, editorToken: await editorToken(alice) })
    expect(await newest()).toMatchObject(knowledgeOf(alice))
    expect((await newest()).body).not.toHaveProperty('claimedUser')
    await report({ event: 'auth.login', editorToken: await editorToken(alice, instance, 'read') })
    expect(await newest()).toMatchObject(knowledgeOf(alice))
  })

  test('a token shows nothing when it is of somebody else, of another instance, over, or made up', async () => {
    const expired = await editorToken(alice)
    clock.turn(1_800_000)
    const others = [
      expired,
      await editorToken(owner),
      await editorToken(alice, sibling),
      await editorToken(alice, instance, 'http'),
      'ffu_made-up',
      token,
    ]
    for (const one of others) {
      expect((await report({ event: 'flows.set', user: alice.id, editorToken: one })).status).toBe(200)
      expect(await newest()).toMatchObject(claimOf(alice))
    }
    await server.app.database.read.updateTable('users').set({ suspended: 1 }).where('id', '=', alice.id).execute()
    await report({ event: 'flows.set', user: alice.id, editorToken: await editorToken(alice) })
    expect(await newest()).toMatchObject(claimOf(alice))
  })

  test('whoever may only look has changed nothing, whatever token is shown', async () => {
    const viewer = await server.build.member(team, 10)
    const shown = await editorToken(viewer, instance, 'read')
    await report({ event: 'flows.set', user: viewer.id, editorToken: shown })
    expect(await newest()).toMatchObject(claimOf(viewer))
  })

  test('a token is kept nowhere', async () => {
    const shown = await editorToken(alice)
    await report({ event: 'settings.update', user: alice.id, editorToken: shown })
    const rows = await server.app.database.read.selectFrom('audit_log').select('body').execute()
    expect(JSON.stringify(rows)).not.toContain(shown)
  })
})

test.each([
  'users.deleted',
  'pipeline.x',
  'devices.created',
  ' project.deleted',
  'PROJECT.deleted',
  'project.deleted',
  'Flows.set',
  'flows.set ',
  'flows.set\n',
  'snapshot.created',
  'platform.settings.updated',
  'my.own-event',
  '<img src=x>',
  '__proto__',
  'constructor',
])('no instance reports %j', async (event) => {
  const before = await newest()
  const answer = await report({ event, user: alice.id })
  expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request'])
  expect(await newest()).toEqual(before)
})

test.each(reportedEvents)('an instance reports %s', async (event) => {
  expect((await report({ event })).status).toBe(200)
  expect((await newest()).event).toBe(event === 'start-failed' ? 'project.start-failed' : event)
})

test('who deployed is a claim in the versions, too, unless the instance shows the token of that person', async () => {
  let basis = '[]'
  const deploy = async (more: object) => {
    const flows = [{ id: `n${basis.length}`, type: 'tab' }]
    const body = { basis: createHash('sha256').update(basis).digest('hex'), flows, ...more }
    expect((await post(`/storage/${instance.id}/deploy`, body)).status).toBe(200)
    basis = JSON.stringify(flows)
    const { versions } = await owner.client.call('version.list', { params: { instanceId: instance.id } })
    return versions[0]!
  }
  const person = { id: alice.id, name: alice.username }
  const claimed = await deploy({ user: alice.id })
  expect([claimed.user, claimed.claimedUser]).toEqual([undefined, person])
  const known = await deploy({ user: alice.id, editorToken: await editorToken(alice) })
  expect([known.user, known.claimedUser]).toEqual([person, undefined])
  const viewer = await deploy({ user: alice.id, editorToken: await editorToken(alice, instance, 'read') })
  expect([viewer.user, viewer.claimedUser]).toEqual([undefined, person])
})
