import { backupRules } from '../src/backup.rules.ts'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeBackup } from '../src/features/backup/index.ts'
import { readKeyFile } from '../src/platform/keys/key.file.ts'
import { serve } from '../src/serve.ts'
import {
  createStubDriver,
  databaseUrl,
  freePort,
  instanceCalls,
  password,
  send,
  startServer,
  type TestServer,
  until,
} from './index.ts'

// The key of each backup is made slowly on purpose, and machines are loaded.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const passphrase = 'four words of mine'
let folder: string
let source: TestServer
let owner: string
let instance: string
/** A device of the backup, with the token that it has there, and the one that it got later. */
let device: { id: string; token: string; later: string }
let bytes: Buffer
let serving: Awaited<ReturnType<typeof serve>>
let address: string
/** Restoring goes on once this is resolved. */
let held: Promise<void> | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forge-restore-'))
  source = await startServer()
  await source.build.setting('setup:initialised', true)
  const { owner: person, team } = await source.build.platform()
  const application = await source.build.application(person, team)
  owner = person.username
  instance = (await instanceCalls(() => ({ server: source, owner: person, application })).running('oven')).id
  const { id, credentials } = await person.client.call('device.create', {
    body: { name: 'Oven', type: 'Pi', team: team.id },
  })
  const file = join(folder, 'made.backup')
  const { home, databaseUrl: from } = source.config
  await makeBackup(
    {
      home,
      databaseUrl: from,
      driver: source.driver,
      masterKey: readKeyFile(home)!,
      version: '1.2.3',
      rules: backupRules,
    },
    { file, passphrase },
  )
  bytes = await readFile(file)
  const renewed = await person.client.call('device.generateCredentials', { params: { deviceId: id } })
  device = { id, token: credentials.token, later: renewed.token }
  await source.stop()

  const port = await freePort()
  const url = await databaseUrl()
  address = `http://127.0.0.1:${port}`
  const { databaseUrl: _from, ...settings } = source.config
  const baseUrl = `http://localhost:${port}`
  const config = { ...settings, home: join(folder, 'home'), port, baseUrl, instanceDomain: `localhost:${port}` }
  serving = await serve({
    config: url ? { ...config, databaseUrl: url } : config,
    log: pino({ level: 'silent' }),
    openDriver: () => {
      const driver = createStubDriver()
      const adopt = driver.adopt.bind(driver)
      driver.adopt = async () => {
        await held
        return adopt()
      }
      return driver
    },
    pages: join(folder, 'no-console'),
  })
})
afterEach(async () => {
  held = undefined
  await serving.close()
  await source.close()
  await rm(folder, { recursive: true, force: true })
})

const headers = (token = serving.link!) => ({ authorization: `Bearer ${token}` })
const upload = (body: Uint8Array, token?: string) =>
  fetch(`${address}/api/v1/setup/restore/file`, {
    method: 'PUT',
    headers: { ...headers(token), 'content-type': 'application/octet-stream' },
    body: new Uint8Array(body),
  }).then(async (reply) => ({ status: reply.status, json: (await reply.json()) as Record<string, unknown> }))
const restore = (phrase: string, token = serving.link!) =>
  send(address, 'POST', '/api/v1/setup/restore', { headers: headers(), body: { token, passphrase: phrase } })
const status = () => send(address, 'GET', '/api/v1/setup/restore', { headers: headers() })
const settled = () =>
  until(
    () =>
      status().then(
        ({ json }) => (json.phase ? (json as { phase: string; error?: string }) : { phase: 'restoring' }),
        () => ({ phase: 'restoring' }),
      ),
    ({ phase }) => phase === 'refused' || phase === 'restored',
    60_000,
  )
const signIn = () => send(address, 'POST', '/account/login', { body: { username: owner, password } })

test('with the set-up link a backup is restored in the browser, and its people and instances are there', async () => {
  expect((await status()).json).toEqual({ phase: 'none' })
  expect(await upload(bytes)).toEqual({ status: 200, json: { phase: 'uploaded', size: bytes.length } })
  expect((await restore(passphrase)).json).toEqual({ phase: 'checking', size: bytes.length })
  expect(await settled()).toEqual({ phase: 'restored' })
  expect(await readdir(join(folder, 'home/restore'))).toEqual([])
  const signed = await signIn()
  expect(signed.status).toBe(200)
  const cookie = signed.headers.getSetCookie()[0]!.split(';')[0]!
  await until(
    () => send(address, 'GET', `/api/v1/projects/${instance}`, { headers: { cookie } }),
    ({ json }) => (json.meta as { state: string }).state === 'running',
  )
  expect((await send(address, 'GET', '/api/v1/settings')).json).toMatchObject({ setup: false })
  // The link is for a platform that is nobody's.
  expect((await upload(bytes)).status).toBe(403)
  expect((await restore(passphrase)).json).toMatchObject({ code: 'invalid_setup_token' })
})

test('a failure after the rows were written does not call the platform empty', async () => {
  await upload(bytes)
  // The note of the newest entry of the audit log cannot be removed, which the step after the rows does.
  await mkdir(join(folder, 'home/audit-head.json/in-the-way'), { recursive: true })
  await restore(passphrase)
  expect(await settled()).toEqual({ phase: 'restored' })
  expect((await signIn()).status).toBe(200)
})

test('while a backup is restored, people and programs are told so, and how far it is', async () => {
  await upload(bytes)
  const { promise, resolve } = Promise.withResolvers<void>()
  held = promise
  await restore(passphrase)
  const answer = await until(
    () => fetch(address, { headers: { accept: 'text/html', connection: 'close' } }).catch(() => undefined),
    // Without a built console the platform itself answers 503 as well.
    (reply) => reply?.status === 503 && reply.headers.get('retry-after') === '2',
    60_000,
  )
  const page = await answer!.text()
  expect(page).toContain('A backup is being restored')
  expect(page).toContain('Checking the whole file')
  expect(page).toContain('http-equiv="refresh"')
  expect((await status()).json).toMatchObject({ code: 'restoring', message: expect.stringContaining('Checking') })
  for (const probe of ['/readyz', '/readyz/instances'])
    expect(await send(address, 'GET', probe)).toMatchObject({ status: 503, json: { reason: 'restoring' } })
  expect((await send(address, 'GET', '/livez')).status).toBe(200)
  resolve()
  expect(await settled()).toEqual({ phase: 'restored' })
  expect((await signIn()).status).toBe(200)
})

test('an agent is told to come back before a backup is restored, meanwhile, and when the backup is older than its token', async () => {
  const asAgent = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const live = `/api/v1/devices/${device.id}/live`
    const report = { project: null, snapshot: null, settings: null, state: 'running', mode: 'autonomous' }
    const answers = await Promise.all([
      send(address, 'POST', `${live}/state`, { headers, body: report }),
      ...['state', 'snapshot', 'settings'].map((what) => send(address, 'GET', `${live}/${what}`, { headers })),
    ])
    return answers.map(({ status: code }) => code)
  }
  const comeBack = [503, 503, 503, 503]
  expect(await asAgent(device.token)).toEqual(comeBack)
  await upload(bytes)
  const { promise, resolve } = Promise.withResolvers<void>()
  held = promise
  await restore(passphrase)
  const during: number[] = []
  await until(
    async () => {
      // There is no server at all for a moment.
      during.push(...(await asAgent(device.token).catch(() => [])))
      return (await status().catch(() => undefined))?.json
    },
    (json) => json?.code === 'restoring',
    60_000,
  )
  during.push(...(await asAgent(device.token)))
  resolve()
  expect(await settled()).toEqual({ phase: 'restored' })
  expect(during.filter((code) => code !== 503)).toEqual([])
  expect(await asAgent(device.later)).toEqual(comeBack)
  // A new device has other settings than those of which its agent knows.
  expect(await asAgent(device.token)).toEqual([409, 200, 200, 200])
})

test('a false link, a wrong passphrase and a damaged file touch nothing, and the platform can still be set up', async () => {
  expect((await upload(bytes, 'setup_no')).json).toMatchObject({ code: 'invalid_setup_token' })
  expect((await restore(passphrase, 'setup_no')).json).toMatchObject({ code: 'invalid_setup_token' })
  expect((await restore(passphrase)).json).toMatchObject({ code: 'invalid_state', message: 'Send the backup first' })
  const json = { headers: { ...headers(), 'content-type': 'application/json' } }
  expect((await send(address, 'PUT', '/api/v1/teams/none', { ...json, body: {} })).status).toBe(401)
  await upload(bytes)
  await restore('not this one at all')
  expect(await settled()).toMatchObject({
    phase: 'refused',
    error: expect.stringContaining('The passphrase is not the one'),
  })
  await upload(bytes.subarray(0, bytes.length - 20))
  await restore(passphrase)
  expect(await settled()).toMatchObject({ phase: 'refused', error: expect.stringContaining('damaged or incomplete') })
  await upload(Buffer.from('no backup'))
  await restore(passphrase)
  expect(await settled()).toMatchObject({ phase: 'refused', error: expect.stringContaining('not a backup') })
  const alice = { username: 'alice', email: 'alice@example.com', password: 'correct horse battery' }
  const made = await send(address, 'POST', '/api/v1/setup', { body: { token: serving.link, ...alice } })
  expect(made.status).toBe(200)
  expect((await upload(bytes)).json).toMatchObject({ code: 'invalid_setup_token' })
})
