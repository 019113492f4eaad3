import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startServer, type TestServer, until } from '../../../testing/index.ts'
import { readKeyFile } from '../../platform/keys/key.file.ts'
import { backupRules } from '../../backup.rules.ts'
import { readArchive } from './archive.reader.ts'
import { inspecting } from './archive.visitor.ts'
import { makeBackup, Unsealable } from './index.ts'

vi.setConfig({ testTimeout: 120_000 })

const passphrase = 'größer als alles'
const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../../..')
const long = `data/${'very-long-name-'.repeat(12)}/öfen, "new"\nline.txt`
let folder: string
let server: TestServer
let instance: string
let owner: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forge-by-hand-'))
  server = await startServer()
  const { owner: person, team } = await server.build.platform()
  owner = person.username
  const application = await server.build.application(person, team)
  instance = (await server.build.instance(person, application)).id
  file = join(folder, 'all.tar.gz.age')
})
afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

/** `age` reads a passphrase from a terminal only; `script` gives it one. */
async function age(...args: string[]): Promise<void> {
  const command = `age ${args.map((arg) => `'${arg}'`).join(' ')}`
  const running = run('script', ['--quiet', '--return', '--command', command, '/dev/null'])
  // Once to encrypt, and once more to confirm.
  running.child.stdin!.end(`${passphrase}\n${passphrase}\n`)
  await running.catch((error: Error & { stdout: string }) => {
    throw new Error(`age: ${error.stdout}`)
  })
}

/** The command of the shell, in a process of its own: the tests of this one make passphrases cheap to guess. */
function admin(...args: string[]) {
  const { home, databaseUrl } = server.config
  const forge = { FORGE_HOME: home, FORGE_BACKUP_PASSPHRASE: passphrase, FORGE_INSTANCE_UIDS: 'none' }
  const env = { ...process.env, ...forge, FORGE_DATABASE_URL: databaseUrl ?? '' }
  const entry = ['--import', './tools/require-node.mjs', 'apps/server/src/cli/admin.ts', ...args]
  return spawn(process.execPath, entry, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
}

async function told(...args: string[]): Promise<string> {
  const child = admin(...args)
  return (await Array.fromAsync(child.stdout)).join('')
}

/** Files in the folder of the instance. */
async function put(path: string, bytes: Buffer, mode = 0o600): Promise<void> {
  const target = join(server.config.home, 'instances', instance, 'user', path)
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, bytes)
  await chmod(target, mode)
}

function source() {
  const { home, databaseUrl } = server.config
  const masterKey = readKeyFile(home)!
  return {
    home,
    databaseUrl: databaseUrl || undefined,
    driver: server.driver,
    masterKey,
    version: '1',
    rules: backupRules,
  }
}

test('the programs age and tar open a backup by hand, with nothing but the passphrase', async () => {
  const oven = randomBytes(3_000_000)
  await put(long, oven, 0o640)
  await put('empty', Buffer.alloc(0))
  expect(await told('backup', file)).toMatch(/all\.tar\.gz\.age: \d+ rows, 1 instance, 2 files/)
  await age('--decrypt', '--output', join(folder, 'all.tar.gz'), file)
  await run('tar', ['-C', folder, '-xzf', join(folder, 'all.tar.gz')])
  const text = (path: string) => readFile(join(folder, path), 'utf8')
  const { tables } = JSON.parse(await text('manifest.json')) as { tables: { name: string; columns: string[] }[] }
  const at = tables.find(({ name }) => name === 'users')!.columns.indexOf('username')
  const users = (await text('database/users/0001.jsonl')).trim().split('\n')
  expect(users.map((row) => (JSON.parse(row) as string[])[at])).toContain(owner)
  expect((await readFile(join(folder, 'files', instance, long))).equals(oven)).toBe(true)
  expect((await stat(join(folder, 'files', instance, long))).mode & 0o777).toBe(0o640)
  expect((await stat(join(folder, 'files', instance, 'empty'))).size).toBe(0)
  expect(JSON.parse(await text('end.json'))).toMatchObject({ files: 2 })

  // Encrypted again by hand it is still a backup.
  await age('--passphrase', '--output', join(folder, 'again.age'), join(folder, 'all.tar.gz'))
  expect(await told('backup-verify', join(folder, 'again.age'))).toMatch(/can be restored: .* 1 instance, 2 files\.\s$/)
})

test('a backup that is killed while it is written leaves no file under its name, and is made anew', async () => {
  await put('noise', randomBytes(30_000_000))
  const child = admin('backup', file)
  const size = () =>
    stat(`${file}.part`).then(
      ({ size }) => size,
      () => 0,
    )
  await until(size, (bytes) => bytes > 1_000_000, 60_000)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, true])
  await expect(readArchive(`${file}.part`, passphrase, inspecting)).rejects.toThrow(Unsealable)
  expect(await told('backup', file)).toContain('1 file')
  expect(await told('backup-verify', file)).toContain('can be restored')
  expect(await readdir(folder)).toEqual(['all.tar.gz.age'])
})

test('a file that shrinks while it is read ends in zeros, and one that grows is cut', async () => {
  server.driver.files = async function* () {
    for (const [path, text] of [
      ['shrinks', 'bread'],
      ['grows', 'bread and butter'],
    ] as const)
      yield {
        path,
        mode: 0o600,
        size: 8,
        content: (async function* () {
          yield Buffer.from(text)
        })(),
      }
  }
  await makeBackup(source(), { file, passphrase })
  const found: Record<string, string> = {}
  await readArchive(file, passphrase, {
    ...inspecting,
    async files(owner, files) {
      expect(owner).toBe(instance)
      for await (const { path, content } of files)
        found[path] = Buffer.concat(await Array.fromAsync(content)).toString()
    },
  })
  expect(found).toEqual({ shrinks: 'bread\0\0\0', grows: 'bread an' })
})

test('a file of another kind, an empty one and one that was made by a later version are refused', async () => {
  await makeBackup(source(), { file, passphrase })
  const given = join(folder, 'given')
  const reading = (bytes: Buffer | string) =>
    writeFile(given, bytes).then(() => readArchive(given, passphrase, inspecting))
  for (const bytes of ['', 'PK\x03\x04 something else entirely', 'age-decryption'])
    await expect(reading(bytes)).rejects.toThrow('This is not a backup that this version can read')
  const bytes = await readFile(file)
  for (const end of [5, 22, 60, bytes.length - 1])
    await expect(reading(bytes.subarray(0, end))).rejects.toThrow('The file is damaged or incomplete')
  await expect(reading(`age-encryption.org/v1\n${'x'.repeat(100_000)}`)).rejects.toThrow('damaged or incomplete')
})
