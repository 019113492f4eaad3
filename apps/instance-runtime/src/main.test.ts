import type { LaunchSpec } from '@app/contract/instance-link'
import { linkTls } from '@app/contract/instance-link.constants'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'

/** Prints, as the process ends, which of these have been loaded. */
const watching = `
  import { registerHooks } from 'node:module'
  const seen = new Set()
  registerHooks({ load(url, context, next) { seen.add(url); return next(url, context) } })
  process.on('exit', () => {
    const urls = [...seen, ...process.moduleLoadList]
    console.log(JSON.stringify(['zod', 'undici', 'passport'].filter((name) => urls.some((url) => url.includes(name)))))
  })`

test('an instance loads neither the schemas nor fetch, which would take 16 MB of memory in each', async () => {
  const hooks = `data:text/javascript,${encodeURIComponent(watching)}`
  const child = spawn(process.execPath, ['--import', hooks, join(import.meta.dirname, 'main.ts'), 'nobody'], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  })
  child.stdio[3]?.destroy()
  let said = ''
  child.stdout!.setEncoding('utf8').on('data', (part: string) => (said += part))
  await new Promise((resolve) => child.once('close', resolve))
  expect(JSON.parse(said)).toEqual(['passport'])
})

test('what the process inherited beyond its own pipe is closed before anything of an instance is there', async () => {
  // Node.js itself sees to the first of them.
  const unused = Array.from({ length: 30 }, () => 'ignore' as const)
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'nobody'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', ...unused, 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise((resolve) => (child.stdio.at(-1) as unknown as Readable).resume().once('end', resolve))
  expect(child.exitCode).toBeNull()
})

/** A folder with an empty training, and the specification of a process in it that finds no platform. */
async function prepare(answersAt: (folder: string) => LaunchSpec['answersAt']) {
  const folder = await mkdtemp(join(tmpdir(), 'forge-runtime-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [userDir, logDir] = [join(folder, 'user'), join(folder, 'logs')]
  for (const path of [userDir, logDir]) await mkdir(path)
  const training = join(folder, 'training.json')
  await writeFile(training, JSON.stringify({ modules: [], imports: [], names: {} }))
  const spec: LaunchSpec = {
    id: 'one',
    name: 'oven',
    teamId: 'team',
    // Nobody listens there.
    platformUrl: 'http://127.0.0.1:1',
    instanceUrl: 'http://instance.test',
    token: 'token',
    client: { id: 'client', secret: 'secret' },
    credentialSecret: 'secret',
    nodeRedPath: folder,
    userDir,
    logDir,
    answersAt: answersAt(folder),
    controlToken: 'token',
    src: '0a1b',
  }
  return { folder, spec, args: [join(import.meta.dirname, 'main.ts'), 'one', training] }
}

test('a process whose platform has ended after it sent the specification goes on with that', async () => {
  let control = ''
  const { spec, args } = await prepare((folder) => {
    control = join(folder, 'control.sock')
    return { http: join(folder, 'http.sock'), control }
  })
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  const pipe = child.stdio[3] as Writable
  pipe.end(JSON.stringify(spec), () => pipe.destroy())
  onTestFinished(() => void child.kill('SIGKILL'))
  // It answers the platform of then, once there is one.
  await expect.poll(() => existsSync(control)).toBe(true)
})

test('a specification in a file will do, as engines of containers give secrets, and a port to answer at', async () => {
  const { port } = await new Promise<AddressInfo>((resolve) => {
    const free = createServer().listen(0, '127.0.0.1', () => {
      const address = free.address() as AddressInfo
      free.close(() => resolve(address))
    })
  })
  const key = 'a'.repeat(43)
  const { folder, spec, args } = await prepare(() => ({ port, keys: { http: key, control: key } }))
  const secret = join(folder, 'launch')
  await writeFile(secret, JSON.stringify(spec))
  const child = spawn('/bin/sh', ['-c', 'exec 3<"$0" && exec "$@"', secret, process.execPath, ...args], {
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const pskCallback = () => ({ psk: Buffer.from(key, 'base64url'), identity: 'control' })
  const status = (authorization: string) =>
    new Promise<number>((resolve) =>
      get(
        {
          path: '/flowforge/info',
          headers: { authorization },
          createConnection: () =>
            connect({ ...linkTls, host: '127.0.0.1', port, pskCallback, checkServerIdentity: () => undefined }),
        },
        (answer) => resolve(answer.resume().statusCode ?? 0),
      ).on('error', () => resolve(0)),
    )
  await expect.poll(() => status('Bearer token')).toBe(200)
  // The key of the connection does not stand for the token.
  expect(await status('Bearer other')).toBe(401)
})
