import { roles } from '@app/contract'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { restoreBackup } from '../src/features/backup/index.ts'
import { openCredentials } from '../src/features/flows/index.ts'
import { clientWith, createStubDriver, databaseUrl, openServer, send, until, withTrueHashes } from './index.ts'

// The key of a backup is made slowly on purpose.
vi.setConfig({ testTimeout: 120_000 })

// As the data was made: former-backup/README.md.
const file = join(import.meta.dirname, 'former-backup/former.backup')
const password = 'correct horse battery'

const home = mkdtempSync(join(tmpdir(), 'forge-former-'))
const url = (await databaseUrl({ empty: true })) ?? ''
const driver = createStubDriver()
const target = { home, databaseUrl: url || undefined, driver }
const restored = await withTrueHashes(() => restoreBackup(target, { file, passphrase: 'four words or more' }))
const server = await openServer({ config: { home, databaseUrl: url }, driver: () => driver })
afterAll(() => rmSync(home, { recursive: true, force: true }))

async function signIn(username: string) {
  const body = { username, password }
  const { headers } = await withTrueHashes(() => send(server.address, 'POST', '/account/login', { body }))
  return clientWith(server.address, 'cookie', headers.getSetCookie()[0]!.split(';')[0]!)
}
const alice = await signIn('alice')
const { teams } = await alice.call('team.mine')
const inTeam = { params: { teamId: teams[0]!.id } }
const { projects } = await alice.call('instance.listOfTeam', inTeam)
const { applications } = await alice.call('application.listOfTeam', inTeam)
/** The path of an instance of this name. */
const of = (name: string) => ({ params: { instanceId: projects.find((one) => one.name === name)!.id } })
const functionOf = (flows: unknown) => JSON.stringify(flows).match(/\d+ loaves/)?.[0]

test('the people, the team and its applications are there', async () => {
  expect(restored).toMatchObject({ rows: 155, instances: 3, files: 3 })
  const { users } = await alice.call('user.list')
  expect(Object.fromEntries(users.map(({ username, admin }) => [username, admin]))).toEqual({
    alice: true,
    bob: false,
    carol: false,
  })
  const { members } = await alice.call('team.members', inTeam)
  expect(Object.fromEntries(members.map(({ username, role }) => [username, role]))).toEqual({
    alice: roles.owner,
    bob: roles.member,
  })
  expect(applications.map(({ name }) => name).toSorted()).toEqual(['Ovens', 'Packing'])
  expect((await (await signIn('bob')).call('team.mine')).teams).toMatchObject([{ name: 'Example Bakery' }])
  const { tokens } = await alice.call('tokens.list')
  expect(tokens).toMatchObject([{ name: 'Nightly', scopes: ['project:read'] }])
})

test('instances that ran do so again with their flows and variables, and the others are as they were left', async () => {
  for (const [name, state] of [
    ['oven', 'running'],
    ['staging', 'running'],
    ['packer', 'suspended'],
  ] as const)
    await until(
      () => alice.call('instance.get', of(name)),
      ({ meta }) => meta.state === state,
    )
  const { settings } = await alice.call('instance.get', of('oven'))
  expect(settings.env?.slice(-2)).toMatchObject([
    { name: 'SHOP', value: 'Main Street' },
    { name: 'KEY', encrypted: true },
  ])
  // Node-RED gets the values of secrets too.
  const { instanceId: id } = of('oven').params
  const headers = { authorization: `Bearer ${await server.build.instanceToken({ id, team: teams[0]! })}` }
  const { json } = await send(server.address, 'GET', `/api/v1/projects/${id}/settings`, { headers })
  expect(json.env).toMatchObject({ SHOP: 'Main Street', KEY: 'of the till' })
})

test('versions, snapshots, the push of a pipeline and the pipeline are there', async () => {
  const { versions } = await alice.call('version.list', of('oven'))
  const flows = await Promise.all(
    versions.map(({ id }) => alice.call('version.flows', { params: { ...of('oven').params, versionId: id } })),
  )
  expect(flows.map(functionOf)).toEqual(['14 loaves', '12 loaves'])
  const { snapshots } = await alice.call('snapshot.list', of('oven'))
  expect(snapshots.map(({ name }) => name)).toEqual(['Fourteen', 'Before Christmas'])
  const { deployments } = await alice.call('deployment.list', of('staging'))
  expect(deployments).toMatchObject([{ state: 'done' }])
  const ovens = { params: { applicationId: applications.find(({ name }) => name === 'Ovens')!.id } }
  expect(await alice.call('pipeline.list', ovens)).toMatchObject({
    pipelines: [{ name: 'To the shop', stages: [{ name: 'Try' }, { name: 'Sell', instances: [{ name: 'staging' }] }] }],
  })
})

test('the library is there', async () => {
  const read = (path: string) => alice.call('library.get', { params: { ...inTeam.params, '*': path } })
  expect(await read('bread')).toMatchObject([
    { fn: 'dough', type: 'functions', outputs: 1 },
    { fn: 'oven', type: 'flows' },
  ])
  expect(await read('bread/dough')).toBe('return msg')
  expect(await read('bread/oven')).toEqual([{ id: 'x', type: 'inject' }])
})

test('a device gets its snapshot with the credentials of the flows', async () => {
  const { devices } = await alice.call('device.listOfTeam', inTeam)
  expect(devices).toMatchObject([{ name: 'Oven 3', targetSnapshot: { name: 'Before Christmas' } }])
  const params = { deviceId: devices[0]!.id }
  const { env } = await alice.call('device.settings', { params })
  expect(env).toContainEqual({ name: 'PLACE', value: 'Cellar' })
  const { token, credentialSecret } = await alice.call('device.generateCredentials', { params })
  const headers = { authorization: `Bearer ${token}` }
  const { json } = await send(server.address, 'GET', `/api/v1/devices/${params.deviceId}/live/snapshot`, { headers })
  expect(functionOf(json.flows)).toBe('12 loaves')
  expect(openCredentials(json.credentials, credentialSecret)).toEqual({
    h1: { user: 'miller', password: 'of the mill' },
  })
})

test('the audit log is there, and whole', async () => {
  const { log } = await alice.call('team.auditLog', { ...inTeam, query: { limit: 200 } })
  expect(log.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['team.created', 'team.user.invite.accepted', 'team.device.created']),
  )
  await alice.call('auditLog.verify')
  await until(
    () => alice.call('auditLog.integrity'),
    ({ state, faults }) => state === 'intact' && faults.length === 0,
  )
})
