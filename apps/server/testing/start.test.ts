import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type Cluster, createDatabase, startPostgres } from '../../../tools/test/postgres.ts'
import { openDatabase } from '../src/platform/db/database.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { createAuthority, freePort, until } from './index.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'forge-start-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

/** As `user` where that can be chosen, which only root may. */
async function run(home: string, settings: Record<string, string> = {}, user = 0) {
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    FORGE_HOME: home,
    FORGE_PORT: String(port),
    FORGE_WARM_PROCESSES: '0',
    ...settings,
  }
  const as = user > 0 && process.getuid?.() === 0 ? { uid: user, gid: user } : {}
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'], ...as })
  let [said, logged] = ['', '']
  child.stderr.on('data', (part) => (said += part))
  child.stdout.on('data', (part) => (logged += part))
  return { child, port, said: () => said, logged: () => logged, ended: once(child, 'close') as Promise<[number]> }
}

/** The one sentence or two that a server leaves which does not start. */
async function refusal(home: string, settings?: Record<string, string>, user?: number): Promise<string> {
  const server = await run(home, settings, user)
  const [code] = await server.ended
  expect(code).toBe(1)
  expect(server.said()).not.toMatch(/\bat .+:\d+/)
  expect(server.said().trim().split('\n')).toHaveLength(1)
  return server.said()
}

async function madeHome(): Promise<string> {
  const home = newHome()
  const database = await openDatabase({ home })
  await migrate(database)
  await database.close()
  return home
}

test('a file that is no database, and one that was cut off', async () => {
  const home = newHome()
  writeFileSync(join(home, 'forge.db'), 'x'.repeat(8192))
  expect(await refusal(home)).toContain(`${home}/forge.db is damaged, or no database`)
  const cut = await madeHome()
  truncateSync(join(cut, 'forge.db'), 4096 * 3)
  expect(await refusal(cut)).toContain(`${cut}/forge.db is damaged`)
})

test('a database of a newer version', async () => {
  const home = await madeHome()
  const database = await openDatabase({ home })
  const { sql } = await import('kysely')
  await sql`insert into migrations (name, applied_at) values ('9999-later.ts', 0)`.execute(database.read)
  await database.close()
  expect(await refusal(home)).toContain('made by a newer version of the platform (9999-later.ts)')
})

test('a database that another build set up', async () => {
  const home = await madeHome()
  const database = await openDatabase({ home })
  const { sql } = await import('kysely')
  await sql`update migrations set checksum = 'other' where name = '0015-audit-chain.ts'`.execute(database.read)
  await database.close()
  expect(await refusal(home)).toContain('set up by another build of the platform: 0015-audit-chain.ts differs')
})

test.runIf(process.getuid?.() === 0)('a disk that is full', async () => {
  const home = newHome()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'forge-test', home])
  try {
    writeFileSync(join(home, 'filler'), Buffer.alloc(1024 * 1024 - 8 * 4096))
    expect(await refusal(home)).toContain(`The disk of ${home} is full. Make room on it`)
  } finally {
    execFileSync('umount', [home])
  }
})

test('a home that is a file, and a folder that belongs to somebody else', async () => {
  const folder = newHome()
  writeFileSync(join(folder, 'home'), '')
  expect(await refusal(join(folder, 'home'))).toContain('is not a folder')
  chmodSync(folder, 0o500)
  const inside = join(folder, 'mine')
  expect(await refusal(inside, {}, 65_534)).toContain(`${inside} cannot be read or written by the user of the server`)
})

test.runIf(process.getuid?.() === 0)('a home on which a server ran as another user', async () => {
  const home = newHome()
  chownSync(home, 65_534, 65_534)
  mkdirSync(join(home, 'keys'))
  chownSync(join(home, 'keys'), 3997, 3997)
  const said = await refusal(home, {}, 65_534)
  expect(said).toContain(`A server ran on ${home} as another user: user 3997 owns 1 of its files, such as ${home}/keys`)
  expect(said).toContain(`Either start this server as root as well, or give the files back, as root: \`chown -R `)
  expect(readdirSync(home)).toEqual(['keys'])
})

test.runIf(process.getuid?.() === 0)('a home that can only be read', async () => {
  const home = newHome()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'forge-test', home])
  try {
    expect(await refusal(home)).toContain('is on a disk that is mounted read-only. Mount it for writing')
  } finally {
    execFileSync('umount', [home])
  }
})

test('a port that cannot be listened on, without a claim on the instances that the next server would wait for', async () => {
  const home = await madeHome()
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  expect(await refusal(home, { FORGE_PORT: String(port) })).toContain(`Port ${port} is in use by another program`)
  expect(await refusal(home, { FORGE_HOST: '192.0.2.1' })).toContain('FORGE_HOST is 192.0.2.1')
  const database = await openDatabase({ home })
  onTestFinished(() => database.close())
  const { sql } = await import('kysely')
  expect((await sql`select name from instance_host where seen_at > 0`.execute(database.read)).rows).toEqual([])
})

/** Settings of a server with the certificate of this authority. */
async function encrypted({ files }: ReturnType<typeof createAuthority>) {
  const port = await freePort()
  const settings = {
    FORGE_BASE_URL: `https://localhost:${port}`,
    FORGE_TLS_CERT_FILE: files.certFile,
    FORGE_TLS_KEY_FILE: files.keyFile,
    FORGE_TLS_HOST: '127.0.0.1',
    // The embedded broker would outlive its server.
    FORGE_FEATURES_OFF: 'devices,projectComms',
  }
  return { port, settings }
}

test('a certificate that is not there, or of which the key is another one', async () => {
  const [one, other] = [createAuthority(), createAuthority()]
  for (const authority of [one, other]) authority.issue(['localhost', '*.localhost'])
  const { settings } = await encrypted(one)
  const missing = { ...settings, FORGE_TLS_CERT_FILE: '/nowhere/cert.pem' }
  expect(await refusal(newHome(), missing)).toBe(
    'FORGE_TLS_CERT_FILE and FORGE_TLS_KEY_FILE: /nowhere/cert.pem does not exist.\n',
  )
  const mixed = { ...settings, FORGE_TLS_KEY_FILE: other.files.keyFile }
  expect(await refusal(newHome(), mixed)).toContain('The key does not belong to the certificate.')
})

test('SIGHUP makes a server read its certificate anew, and does not end it', async () => {
  const authority = createAuthority()
  authority.issue(['localhost', '*.localhost'])
  const { port, settings } = await encrypted(authority)
  const { child, ended } = await run(newHome(), settings)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const shown = () =>
    new Promise<string | undefined>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: authority.ca }, () => {
        resolve(socket.getPeerCertificate().fingerprint256)
        socket.destroy()
      }).once('error', () => resolve(undefined))
    })
  const first = await until(shown, (fingerprint) => fingerprint !== undefined, 50_000)
  authority.issue(['localhost', '*.localhost'])
  child.kill('SIGHUP')
  await until(shown, (fingerprint) => fingerprint !== undefined && fingerprint !== first)
  expect(child.exitCode).toBeNull()
})

test('PostgreSQL: waited for while it does not answer, and not when it refuses', async () => {
  const home = newHome()
  const url = (at: string) => ({ FORGE_DATABASE_URL: at, FORGE_DATABASE_WAIT_SECONDS: '1' })
  const port = await freePort()
  const gone = await run(home, url(`postgres://forge:secret@127.0.0.1:${port}/forge`))
  expect((await gone.ended)[0]).toBe(1)
  expect(gone.logged()).toContain('does not answer yet; waits for it')
  expect(gone.said()).toBe(
    `PostgreSQL at 127.0.0.1:${port}/forge does not answer. See whether it runs, and whether the address in FORGE_DATABASE_URL is right.\n`,
  )
  const cluster = await startPostgres({ durable: false })
  onTestFinished(() => cluster.stop())
  const database = new URL(cluster.url)
  database.pathname = '/nothing'
  expect(await refusal(home, { FORGE_DATABASE_URL: database.href })).toContain('does not exist. Create it: createdb')
  const empty = await createDatabase(cluster.url, 'closed')
  await readOnly(cluster)
  expect(await refusal(home, { FORGE_DATABASE_URL: empty })).toContain('is read-only, as a standby is')
})

async function readOnly({ url }: Cluster): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('alter database closed set default_transaction_read_only = on')
  await client.end()
}
