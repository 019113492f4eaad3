import type { LaunchSpec } from '@app/contract/instance-link'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
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

test('a process whose platform has ended after it sent the specification goes on with that', async () => {
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
    httpSocket: join(folder, 'http.sock'),
    controlSocket: join(folder, 'control.sock'),
    controlToken: 'token',
    src: '0a1b',
  }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'one', training], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const pipe = child.stdio[3] as Writable
  pipe.end(JSON.stringify(spec), () => pipe.destroy())
  onTestFinished(() => void child.kill('SIGKILL'))
  // It answers the platform of then, once there is one.
  await expect.poll(() => existsSync(spec.controlSocket)).toBe(true)
})
