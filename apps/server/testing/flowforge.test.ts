import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { sql } from 'kysely'
import { installedEnvironment } from '../src/cli/installed.ts'
import { runFlowforge } from '../src/cli/flowforge.run.ts'
import { unitText } from '../src/cli/service.ts'
import { settings } from '../src/config.ts'
import { version } from '../src/version.ts'
import { freePort, startServer } from './index.ts'

let folder: string
let home: string
let said: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forge-command-'))
  home = join(folder, 'home')
  said = []
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const start = vi.fn(async () => {})
const flowforge = async (args: string[], env: Record<string, string | undefined> = {}) =>
  runFlowforge(args, {
    env: { PATH: process.env.PATH, FORGE_HOME: home, FORGE_PORT: String(await freePort()), ...env },
    folder,
    program: 'flowforge admin',
    say: (text) => void said.push(text),
    ask: async () => 'four words of mine',
    start,
  })
const text = () => said.join('\n')

test('help names every command, and a word that is no command is answered with it', async () => {
  expect([await flowforge(['--help']), await flowforge([])]).toEqual([0, 0])
  for (const command of ['start', 'admin', 'backup', 'restore', 'check', 'doctor', 'service install', 'ready'])
    expect(said[0]).toContain(`\n  flowforge ${command}`)
  expect([await flowforge(['--version']), said.at(-1)]).toEqual([0, version])
  const refused: [string[], string][] = [
    [['strat'], 'There is no command "strat".'],
    [['toString'], 'There is no command "toString".'],
    [['service', 'remove'], 'There is no command "service remove".'],
    [['backup'], 'flowforge backup needs something more.'],
    [['check', 'all'], 'flowforge check does not understand "all".'],
    [['check', '--fast'], "Unknown option '--fast'."],
  ]
  for (const [args, sentence] of refused) {
    expect(await flowforge(args)).toBe(2)
    expect(said.at(-1)?.split('\n')[0]).toBe(sentence)
  }
  expect([await flowforge(['admin']), said.at(-1)]).toEqual([
    2,
    expect.stringContaining('  flowforge admin backup <file>'),
  ])
  expect(await flowforge(['start'])).toBeUndefined()
  expect(start).toHaveBeenCalledOnce()
})

test('settings come from a file, and the environment wins over it; data has a home of its own', async () => {
  const file = join(folder, 'flowforge.env')
  await writeFile(file, '# A comment\nFORGE_PORT=4000\nFORGE_BASE_URL="https://forge.example.com"\n')
  const env = installedEnvironment({ FORGE_PORT: '5000', HOME: '/home/alice' }, file)
  expect(env).toMatchObject({ FORGE_PORT: '5000', FORGE_BASE_URL: 'https://forge.example.com' })
  expect(env.FORGE_HOME).toMatch(process.getuid?.() === 0 ? /^\/var\/lib\/flowforge$/ : /\/\.flowforge$/)
  expect(installedEnvironment({ FORGE_HOME: '/data' }, join(folder, 'none')).FORGE_HOME).toBe('/data')
})

test('check finds nothing to mend on a new machine, and changes nothing', async () => {
  expect(await flowforge(['check'])).toBe(0)
  expect(text()).toMatch(/^ok {3}settings +2 given/)
  expect(text()).not.toContain('\nnot')
  expect(text()).toContain('SQLite: empty, the first start sets it up.')
  await expect(readFile(home)).rejects.toThrow('ENOENT')
})

test('FORGE_HOME counts as given only where somebody gave it', async () => {
  const { FORGE_HOME } = installedEnvironment({}, join(folder, 'none'))
  await flowforge(['check'], { FORGE_HOME, FORGE_PORT: '' })
  expect(text()).toMatch(/^ok {3}settings +0 given/)
})

test('a reader who stops early, as head does, leaves no stack trace', async () => {
  const program = join(import.meta.dirname, '../src/cli/flowforge.ts')
  const child = spawn(process.execPath, [program, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  const [errors, [code]] = await Promise.all([child.stderr.setEncoding('utf8').toArray(), once(child, 'exit')])
  expect([code, errors.join('')]).toEqual([0, ''])
})

test('a service for a user that does not exist is refused before anything is written', async () => {
  expect(await flowforge(['service', 'install', '--user', 'nobody-of-this-name'])).toBe(1)
  expect(text()).toBe(
    'This machine has no user nobody-of-this-name. Create it first: useradd --system nobody-of-this-name',
  )
})

test('check names what is wrong, each with a remedy', async () => {
  const wrong = async (env: Record<string, string>) => {
    said = []
    expect(await flowforge(['check'], env)).toBe(1)
    const at = said.findIndex((line) => line.startsWith('not'))
    return `${said[at]}\n${said[at + 1]}`
  }
  expect(await wrong({ FORGE_PORT: 'many' })).toMatch(/^not {2}settings +FORGE_PORT is "many".*\n +→ Correct it/)
  expect(await wrong({ FORGE_HMOE: '/data' })).toContain('FORGE_HMOE is not a setting of this server')
  expect(await wrong({ PATH: folder })).toMatch(/^not {2}npm +npm is not installed.*\n +→ Install npm/)
  await writeFile(join(folder, 'npm'), '#!/bin/sh\necho 10.9.4\n', { mode: 0o755 })
  expect(await wrong({ PATH: folder })).toMatch(/^not {2}npm +10\.9\.4 is too old\.\n +→ Install npm 11/)
  const domain = { FORGE_BASE_URL: 'http://127.0.0.1:3000', FORGE_INSTANCE_DOMAIN: 'apps.invalid' }
  expect(await wrong(domain)).toMatch(/^not {2}names .*\n +→ Add \*\.apps\.invalid to the name service/)
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as { port: number }
  expect(await wrong({ FORGE_PORT: String(port) })).toMatch(/^not {2}port +Port \d+ is in use.*\n +→ Stop it/)
  const nowhere = { FORGE_DATABASE_URL: `postgres://forge:hidden-word@127.0.0.1:${await freePort()}/forge` }
  expect(await wrong(nowhere)).toMatch(
    /^not {2}database +PostgreSQL at 127\.0\.0\.1:\d+\/forge does not answer\.\n +→ See/,
  )
  expect(text()).not.toContain('hidden-word')
  await writeFile(join(folder, 'file'), '')
  expect(await wrong({ FORGE_HOME: join(folder, 'file/home') })).toMatch(/^not {2}rights .*\n +→ Give the folder/)
  await mkdir(home)
  await writeFile(join(home, 'forge.db'), 'x'.repeat(8192))
  expect(await wrong({})).toMatch(/^not {2}database .*is damaged/)
})

test('check and ready find a server that runs, and a database of a newer version', async () => {
  const server = await startServer()
  onTestFinished(() => server.close())
  const { databaseUrl } = server.config
  const env = {
    FORGE_HOME: server.config.home,
    FORGE_PORT: new URL(server.address).port,
    ...(databaseUrl && { FORGE_DATABASE_URL: databaseUrl }),
  }
  expect([await flowforge(['ready'], env), await flowforge(['ready', '--wait', '1'])]).toEqual([0, 1])
  expect(said.at(-1)).toMatch(/^No server answers at http/)
  said = []
  // The note of a server that is a process of its own.
  await writeFile(join(server.config.home, 'platform.pid'), '')
  await flowforge(['check'], env)
  expect(text()).toMatch(/ok {3}database +(SQLite|PostgreSQL): up to date\./)
  expect(text()).toContain('Everything is in order, and the server runs.')
  await sql`insert into migrations (name, applied_at) values ('9999-later.ts', 0)`.execute(server.app.database.read)
  expect(await flowforge(['check'], env)).toBe(1)
  expect(text()).toContain('made by a newer version (9999-later.ts)')
})

test('a bundle for support tells much and holds no secret, wherever one was planted', async () => {
  await mkdir(join(home, 'keys'), { recursive: true })
  const secret = (name: string) => `planted-${name}-${randomBytes(9).toString('hex')}`
  const secrets = Object.entries(settings).flatMap(([name, one]) => (one.secret ? [[name, secret(name)] as const] : []))
  const planted = new Map(secrets)
  const key = randomBytes(32).toString('base64')
  await writeFile(join(home, 'keys/master.key'), key)
  const inFile = secret('in-a-file')
  await writeFile(join(folder, 'passphrase'), `${inFile}\n`)
  const word = secret('with/sign')
  const env: Record<string, string> = {
    ...Object.fromEntries(planted),
    FORGE_SMTP_URL: `smtps://forge:${encodeURIComponent(word)}@mail.example.com`,
    FORGE_BACKUP_PASSPHRASE_FILE: join(folder, 'passphrase'),
    FORGE_TELEMETRY_URL: 'https://telemetry.example.com/in?key=planted-query',
    FORGE_BASE_URL: 'http://localhost:3000',
  }
  delete env.FORGE_BACKUP_PASSPHRASE
  planted.delete('FORGE_BACKUP_PASSPHRASE')
  planted.delete('FORGE_SMTP_URL')
  const lines = [
    'an ordinary line about instance oven',
    ...planted.values(),
    `the mail server said ${word} and ${encodeURIComponent(word)}`,
    `the key ${key}, the passphrase ${inFile}`,
    'connect postgres://other:planted-elsewhere@db.example.com/x',
    '{"password":"planted-in-json","authorization":"Bearer planted-bearer"}',
    'call with ffpat_plantedPlantedPlanted1234567890',
    '{"passphrase":"four planted-words \\" of planted-mine","level":30}',
    '{"msg":"sent {\\"password\\":\\"four planted-inner words\\"}"}',
    "{ password: 'four planted-single words', level: 30 }",
    'passphrase: four planted-bare words',
    'cookie: a=planted-first; b="planted-second"; c=planted-third',
    '{"headers":{"set-cookie":["a=1; b=planted-set","c=planted-other"]}}',
  ]
  await writeFile(join(folder, 'server.log'), lines.join('\n'))
  expect(await flowforge(['doctor', 'bundle.json', '--log', 'server.log'], env)).toBe(0)
  const bundle = await readFile(join(folder, 'bundle.json'), 'utf8')
  for (const value of [...planted.values(), word, encodeURIComponent(word), key, inFile])
    expect(bundle).not.toContain(value)
  expect(bundle).not.toMatch(/planted-/)
  expect(bundle).not.toContain('plantedPlanted')
  expect(JSON.parse(bundle)).toMatchObject({
    versions: { flowforge: version, node: process.version },
    settings: {
      FORGE_BASE_URL: 'http://localhost:3000',
      FORGE_SMTP_URL: '<set>',
      FORGE_BACKUP_PASSPHRASE_FILE: '<set>',
    },
    checks: expect.arrayContaining([expect.objectContaining({ part: 'settings' })]),
    server: expect.stringContaining('no answer'),
    sizes: { keys: expect.any(Number) },
    log: expect.arrayContaining(['an ordinary line about instance oven']),
  })
  expect([await flowforge(['doctor', 'bundle.json']), said.at(-1)]).toEqual([
    1,
    `${join(folder, 'bundle.json')} exists already.`,
  ])
})

test('a bundle for support is written even where parts of it cannot be read', async () => {
  await writeFile(home, 'no folder')
  expect(await flowforge(['doctor', 'bundle.json', '--log', 'missing.log'])).toBe(0)
  const bundle: unknown = JSON.parse(await readFile(join(folder, 'bundle.json'), 'utf8'))
  expect(bundle).toMatchObject({
    sizes: expect.stringMatching(/^Cannot be read: ENOTDIR/),
    log: expect.stringMatching(/^Cannot be read: ENOENT.*missing\.log/),
  })
})

test('a bundle for support that cannot be written is a sentence, not a stack', async () => {
  expect(await flowforge(['doctor', 'none/bundle.json'])).toBe(1)
  expect(text()).toMatch(/bundle\.json cannot be written.*Give another file: flowforge doctor <file>/)
})

test('a log longer than is kept begins with a whole line', async () => {
  const line = `{"passphrase":"${'planted-words '.repeat(50_000)}"}`
  await writeFile(join(folder, 'server.log'), `${line}\nthe last line`)
  expect(await flowforge(['doctor', 'bundle.json', '--log', 'server.log'])).toBe(0)
  const bundle = JSON.parse(await readFile(join(folder, 'bundle.json'), 'utf8')) as { log: unknown }
  expect(bundle.log).toEqual(['the last line'])
})

test('the service ends only the server, waits for its requests and for its start, and starts it again', async () => {
  expect(
    await flowforge(['service', 'install', '--print'], {
      FORGE_STOP_SECONDS: '45',
      FLOWFORGE_PROGRAM: '/opt/bin/flowforge',
    }),
  ).toBe(0)
  const lines = text().split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'ExecStart=/opt/bin/flowforge start',
      // A database upgrade may take longer: neither a limit nor a failed wait may end it.
      'ExecStartPost=-/opt/bin/flowforge ready --wait 120',
      'TimeoutStartSec=infinity',
      'KillMode=process',
      'TimeoutStopSec=75',
      'Restart=always',
      'Environment=FORGE_HOME=/var/lib/flowforge',
    ]),
  )
  expect(text()).not.toContain('User=')
  const asUser = unitText({ program: '/usr/bin/flowforge', path: '/usr/bin', stopSeconds: 30, user: 'forge' })
  expect(asUser).toContain('\nUser=forge\n')
})

const analyze = '/usr/bin/systemd-analyze'
test.runIf(existsSync(analyze))(
  'systemd finds nothing to say about the unit, as root and as another user',
  async () => {
    for (const user of [undefined, 'daemon']) {
      const file = join(folder, `flowforge-${user ?? 'root'}.service`)
      await writeFile(file, unitText({ program: process.execPath, path: '/usr/bin', stopSeconds: 30, user }))
      const { status, stderr } = spawnSync(analyze, ['verify', '--man=no', file], { encoding: 'utf8' })
      // It goes through the units of the machine as well.
      expect(stderr.split('\n').filter((line) => line.includes('flowforge-'))).toEqual([])
      expect(status).toBe(0)
    }
  },
)
