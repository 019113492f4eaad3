import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { run } from '../src/cli/run.ts'
import { databaseUrl, instanceCalls, openDirectory, password, send, startServer, type TestServer } from './index.ts'

// The key of each backup is made slowly on purpose, and machines are loaded.
vi.setConfig({ testTimeout: 120_000 })

let server: TestServer
let folder: string
let said: string[]
let asked: string[]
beforeEach(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'forge-cli-'))
  said = []
  asked = []
})
afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

/** Runs a command as on the machine of the server, with these answers to what it asks. */
const admin = (args: string[], { env = {}, answers = [] }: { env?: Record<string, string>; answers?: string[] } = {}) =>
  run(args, {
    env: {
      FORGE_HOME: server.config.home,
      FORGE_BASE_URL: server.config.baseUrl,
      FORGE_INSTANCE_UIDS: 'none',
      ...(server.config.databaseUrl && { FORGE_DATABASE_URL: server.config.databaseUrl }),
      ...env,
    },
    folder,
    say: (text) => void said.push(text),
    async ask(question) {
      asked.push(question)
      return answers[asked.length - 1] ?? ''
    },
  })
const events = async () => {
  const rows = await server.app.database.read.selectFrom('audit_log').selectAll().orderBy('id', 'desc').execute()
  return rows.map(({ event, trigger_type, trigger_name, body }) => ({ event, trigger_type, trigger_name, body }))
}
const signIn = (username: string, word = password) =>
  send(server.address, 'POST', '/account/login', { body: { username, password: word } })

test('a backup by command is restored by command, and its instances run again', async () => {
  const { owner, team } = await server.build.platform()
  const application = await server.build.application(owner, team)
  const { running } = instanceCalls(() => ({ server, owner, application }))
  const instance = await running('oven')
  const user = join(server.config.home, 'instances', instance.id, 'user')
  await mkdir(join(user, 'node_modules/much'), { recursive: true })
  await writeFile(join(user, 'node_modules/much/index.js'), 'fetched again')
  await writeFile(join(user, 'package.json'), '{"dependencies":{}}')
  const passphrase = 'four words of mine'
  expect(await admin(['backup', 'all.backup'], { answers: [passphrase, passphrase] })).toBe(0)
  expect(asked).toEqual(['Passphrase: ', 'Repeat the passphrase: '])
  expect(said[0]).toMatch(/all\.backup: \d+ rows, 1 instance, 1 file, /)
  expect(await admin(['backup', 'all.backup'], { answers: [passphrase, passphrase] })).toBe(1)
  expect(said[1]).toContain('is there already')

  const env = {
    FORGE_HOME: join(folder, 'new'),
    FORGE_BACKUP_PASSPHRASE: passphrase,
    FORGE_DATABASE_URL: (await databaseUrl()) ?? '',
  }
  expect(
    await admin(['restore', 'all.backup'], { env: { ...env, FORGE_BACKUP_PASSPHRASE: 'quite another one' } }),
  ).toBe(1)
  expect(said.at(-1)).toContain('The passphrase is not the one of this backup')
  expect(await admin(['backup-verify', 'all.backup'], { env })).toBe(0)
  expect(said.at(-1)).toMatch(/all\.backup is whole and can be restored: .* 1 instance, 1 file\.$/)
  expect(await admin(['restore', 'all.backup'], { env })).toBe(0)
  expect(said).toContain('Writing the rows: 100 %')
  expect(said.at(-1)).toContain('Start the server')
  expect(await admin(['restore', 'all.backup'], { env })).toBe(1)
  expect(said.at(-1)).toContain('This platform is not empty')
  expect(await readFile(join(env.FORGE_HOME, 'instances', instance.id, 'user/package.json'), 'utf8')).toContain(
    'depend',
  )

  await server.stop()
  const config = { home: env.FORGE_HOME, databaseUrl: env.FORGE_DATABASE_URL, port: server.config.port }
  const restored = await startServer({ config: { ...config, baseUrl: server.config.baseUrl } })
  const former = server.config.home
  server = restored
  await rm(former, { recursive: true, force: true })
  expect((await signIn(owner.username)).status).toBe(200)
  expect((await events()).map(({ event }) => event)).toContain('platform.restored')
})

test('an administrator who is locked out is helped from the shell, and the log says so', async () => {
  const { admin: person } = await server.build.platform()
  const { read } = server.app.database
  expect(await admin(['reset-password', person.username])).toBe(0)
  const token = /\/account\/change-password\/(\S+)/.exec(said[0]!)![1]!
  const reset = await send(server.address, 'POST', `/account/reset_password/${token}`, {
    body: { password: 'another long one' },
  })
  expect(reset.status).toBe(200)
  expect((await signIn(person.username, 'another long one')).status).toBe(200)

  await read
    .updateTable('users')
    .set({ second_factor: 1, suspended: 1, admin: 0 })
    .where('id', '=', person.id)
    .execute()
  expect(await admin(['reset-password', person.username])).toBe(1)
  expect(said.at(-1)).toContain('Run lift-suspension first')
  for (const verb of ['lift-suspension', 'reset-second-factor', 'make-admin'])
    expect(await admin([verb, `${person.username}@EXAMPLE.com`])).toBe(0)
  const now = await read.selectFrom('users').selectAll().where('id', '=', person.id).executeTakeFirstOrThrow()
  expect(now).toMatchObject({ admin: 1, suspended: 0, second_factor: 0 })
  const log = await events()
  for (const event of [
    'users.link-created',
    'users.suspension-lifted',
    'users.second-factor.reset',
    'users.made-admin',
  ])
    expect(log.find((one) => one.event === event)).toMatchObject({
      trigger_type: 'system',
      trigger_name: expect.stringMatching(/^Shell of the server \(.+\)$/),
    })
  expect(await admin(['make-admin', person.username])).toBe(0)
  expect(said.at(-1)).toContain('already')
})

test('who was suspended by a directory, and is helped from the shell, does not count as suspended by it any more', async () => {
  const { admin: person } = await server.build.platform()
  const directory = await openDirectory(server, person)
  const id = await directory.user('shelly@example.com')
  await directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
  const suspended = async () =>
    server.app.database.read
      .selectFrom('scim_users as scim')
      .innerJoin('users as account', 'account.id', 'scim.user_id')
      .select(['scim.suspended as by_directory', 'account.suspended'])
      .where('account.id', '=', id)
      .executeTakeFirst()
  expect(await suspended()).toEqual({ by_directory: 1, suspended: 1 })
  expect(await admin(['lift-suspension', 'shelly@example.com'])).toBe(0)
  expect(await suspended()).toEqual({ by_directory: 0, suspended: 0 })
})

test('what cannot be done is refused in a sentence, and what is not understood shows the commands', async () => {
  for (const args of [[], ['dance'], ['backup'], ['reset-password', 'a', 'b']]) expect(await admin(args)).toBe(2)
  expect(said.at(-1)).toContain('npm run admin -- restore <file>')
  const refused: [string[], string, object?][] = [
    [['make-admin', 'nobody'], 'There is no user “nobody”'],
    [['restore', 'nothing.backup'], 'There is no'],
    [['backup', 'x.backup'], 'at least 12 characters', { answers: ['short'] }],
    [['backup', 'x.backup'], 'passphrases differ', { answers: ['long enough for all', 'long enough for none'] }],
    [['backup', 'x.backup'], 'There is no platform', { env: { FORGE_HOME: folder, FORGE_DATABASE_URL: '' } }],
    [['make-admin', 'x'], 'There is no platform', { env: { FORGE_HOME: folder, FORGE_DATABASE_URL: '' } }],
    [['make-admin', 'x'], 'FORGE_PORT', { env: { FORGE_PORT: 'none' } }],
  ]
  for (const [args, sentence, more] of refused) {
    asked = []
    expect(await admin(args, more)).toBe(1)
    expect(said.at(-1)).toContain(sentence)
  }
})
