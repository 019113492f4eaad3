import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { lstatSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../tools/test/free-port.ts'
import { until } from './index.ts'

const root = join(import.meta.dirname, '../../..')
const nobody = 3_997
const isRoot = process.getuid?.() === 0

/** The platform as people start it, with the embedded database, until it answers. */
async function run(home: string, uid: number): Promise<void> {
  const port = await freePort()
  // Most machines let everybody read what somebody writes.
  const command = `umask 022; exec "${process.execPath}" --import ./tools/require-node.mjs apps/server/src/main.ts`
  const child: ChildProcess = spawn('sh', ['-c', command], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot ? { uid, gid: uid } : {}),
    env: {
      PATH: process.env.PATH,
      FORGE_HOME: home,
      FORGE_PORT: String(port),
      FORGE_WARM_PROCESSES: '0',
    },
  })
  let said = ''
  child.stderr!.on('data', (part: Buffer) => (said += part.toString()))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/api/v1/settings`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`The platform has ended: ${said}`)
      return answers()
    },
    Boolean,
    60_000,
  )
}

async function folder(): Promise<string> {
  const around = await mkdtemp(join(tmpdir(), 'forge-closed-'))
  await chmod(around, 0o777)
  onTestFinished(() => rm(around, { recursive: true, force: true, maxRetries: 20 }))
  return around
}

/** Files and folders below the home that users other than its owner may read or change. */
async function openTo(home: string): Promise<string[]> {
  const all = await readdir(home, { recursive: true })
  return all.filter((name) => !/^(stacks|modules)\b/.test(name) && (lstatSync(join(home, name)).mode & 0o066) !== 0)
}

/** May everybody enter it? */
const isOpen = (path: string): boolean => (statSync(path).mode & 0o001) !== 0 && (path === '/' || isOpen(dirname(path)))

const users = isRoot && isOpen(root) ? [0, nobody] : [process.getuid?.() ?? 0]

test.each(users)(
  'what the platform keeps is closed to other users from its first start on, as user %i',
  async (uid) => {
    const home = join(await folder(), 'home')
    await run(home, uid)
    expect((await stat(home)).mode & 0o777).toBe(0o700)
    expect((await readdir(home)).length).toBeGreaterThan(3)
    expect(await openTo(home)).toEqual([])
  },
)

test.each(users)('a folder that was there and open is closed with what was in it, as user %i', async (uid) => {
  const home = join(await folder(), 'home')
  const files = ['audit-head.json.old', 'forge.db-shm', 'keys/other.key', 'backups/a.backup']
  for (const name of ['', 'keys', 'backups', 'instances']) await mkdir(join(home, name), { mode: 0o777 })
  for (const name of files) await writeFile(join(home, name), '', { mode: 0o666 })
  for (const name of ['', 'keys', 'backups', 'instances', ...files]) {
    if (isRoot) await chown(join(home, name), uid, uid)
    await chmod(join(home, name), (await stat(join(home, name))).isDirectory() ? 0o777 : 0o666)
  }
  await run(home, uid)
  const modes = Object.fromEntries(
    ['', 'keys', 'backups', 'audit-head.json.old'].map((name) => [name, statSync(join(home, name)).mode & 0o777]),
  )
  // Where the platform is root, instances that run already pass through as users of their own.
  expect(modes).toEqual({ '': uid === 0 ? 0o711 : 0o700, keys: 0o700, backups: 0o700, 'audit-head.json.old': 0o600 })
  expect((await openTo(home)).filter((name) => !/^(keys|backups)\/|^instances$/.test(name))).toEqual([])
})
