import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { chownSync, lchownSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { clientWith, freePort, password, startServer, until } from './index.ts'

const root = join(import.meta.dirname, '../../..')
const patience = 90_000
/** A user without a name, a home, or any right. */
const nobody = 3_998

/** The platform as people start it, as an ordinary user. Resolves at its first answer. */
async function run(home: string, port: number, as: SpawnOptions): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', './tools/require-node.mjs', 'apps/server/src/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...as,
    env: { PATH: process.env.PATH, FORGE_HOME: home, FORGE_PORT: String(port), FORGE_WARM_PROCESSES: '0', ...as.env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (part: Buffer) => (said += part.toString()))
  const answered = () =>
    fetch(`http://127.0.0.1:${port}/api/v1/settings`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`The platform has ended: ${said}`)
      return answered()
    },
    Boolean,
    patience,
  )
  return child
}

test('the platform works as an ordinary user, who owns the processes of all instances, and says what that leaves open', async ({
  annotate,
}) => {
  const isRoot = process.getuid?.() === 0
  if (isRoot && !isOpen(root)) return void (await annotate(`Other users than root cannot enter ${root}`))
  const prepared = await startServer()
  const { home } = prepared.config
  onTestFinished(() => prepared.close())
  const { owner, team } = await prepared.build.platform()
  const { id } = await prepared.build.instance(owner, await prepared.build.application(owner, team))
  await prepared.stop()
  symlinkSync(process.env.FORGE_TEST_STACKS ?? join(root, '.cache/stacks'), join(home, 'stacks'))
  if (isRoot) giveAway(home)
  const { databaseUrl } = prepared.config
  const as = {
    ...(isRoot && { uid: nobody, gid: nobody }),
    ...(databaseUrl && { env: { FORGE_DATABASE_URL: databaseUrl } }),
  }
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`

  let platform = await run(home, port, as)
  const login = { username: owner.username, password }
  const signedIn = await fetch(`${address}/account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  })
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
  const client = clientWith(address, 'cookie', cookie)
  const running = () =>
    until(
      () => client.call('instance.get', { params: { instanceId: id } }),
      ({ meta }) => meta.state === 'running',
      patience,
    )
  await running()
  const pid = pidOf(home, id)
  const user = isRoot ? nobody : process.getuid!()
  expect(statSync(`/proc/${pid}`).uid).toBe(user)
  expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^CapEff:\t0+$/m)
  const gaps = (await client.call('settings.get', {}))['driver:gaps']
  expect(gaps?.join(' ')).toContain('which is not root: their flows can read the files and keys of the platform')

  platform.kill('SIGKILL')
  await new Promise((resolve) => platform.once('exit', resolve))
  platform = await run(home, port, as)
  await running()
  expect(pidOf(home, id)).toBe(pid)
  await client.call('instance.suspend', { params: { instanceId: id } })
  await until(
    () => client.call('instance.get', { params: { instanceId: id } }),
    ({ meta }) => meta.state === 'suspended',
    patience,
  )
  expect(hasEnded(pid)).toBe(true)
})

/** May everybody enter it? */
const isOpen = (folder: string): boolean =>
  (statSync(folder).mode & 0o001) !== 0 && (folder === '/' || isOpen(dirname(folder)))

/** With all that is in it. What links lead to stays whose it is. */
function giveAway(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(folder, name), nobody, nobody)
  chownSync(folder, nobody, nobody)
}

const pidOf = (home: string, id: string) =>
  (JSON.parse(readFileSync(join(home, 'instances', id, 'record.json'), 'utf8')) as { pid: number }).pid

/** Or waits only for somebody to ask what became of it, who may not exist in a container. */
function hasEnded(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.startsWith('Z')
  } catch {
    return true
  }
}
