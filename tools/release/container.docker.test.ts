import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { root } from '../build/built.ts'
import { baseOf, compose, docker } from './container.engine.ts'
import { firstFlow, setupTokenIn } from './newcomer.ts'
import { makePackage } from './package.ts'
import { freePort } from '../test/free-port.ts'

/** On a machine that is busy with something else; alone it takes two minutes. */
const patience = 900_000
const image = 'flowforge-tested'
const serial = process.pid
const base = baseOf()

beforeAll(async () => {
  await makePackage()
  docker('build', '--build-arg', `BASE=${base.node}`, '--tag', image, root)
}, patience)
afterAll(() => void docker('image', 'rm', '--force', image))

/** Waits until the engine calls a container healthy. @throws Error with its log when that takes too long. */
async function untilHealthy(container: string): Promise<void> {
  for (let left = 300; left > 0; left -= 1, await delay(1_000)) {
    const [state, health] = docker('inspect', '--format', '{{.State.Status}} {{.State.Health.Status}}', container)
      .trim()
      .split(' ')
    if (health === 'healthy') return
    if (state === 'exited') break
  }
  throw new Error(`${container} is not healthy:\n${docker('logs', '--tail', '50', container)}`)
}

test('the image runs as an ordinary user, is healthy, gets to its first flow, and finds it again in its volume', {
  timeout: patience,
}, async () => {
  const port = await freePort()
  const [name, volume] = [`flowforge-${serial}`, `flowforge-${serial}-data`]
  const options = ['--volume', `${volume}:/data`, '--publish', `127.0.0.1:${port}:3000`]
  const address = ['--env', `FORGE_BASE_URL=http://localhost:${port}`]
  const start = () => docker('run', '--detach', '--init', '--name', name, ...options, ...address, image)
  const remove = () => docker('rm', '--force', name)
  onTestFinished(() => {
    remove()
    docker('volume', 'rm', '--force', volume)
  })
  start()
  await untilHealthy(name)
  expect(docker('exec', name, 'id', '-u').trim()).toBe('1000')
  const token = setupTokenIn(docker('logs', name))
  expect(token).toBeTruthy()
  await firstFlow(port, token!, patience / 2)

  const begun = performance.now()
  docker('stop', '-t', '60', name)
  // SIGTERM reaches the server: nobody waits for the end of the patience.
  expect(performance.now() - begun).toBeLessThan(55_000)
  remove()
  start()
  await untilHealthy(name)
  expect(setupTokenIn(docker('logs', name))).toBeUndefined()
})

test('compose starts the platform with PostgreSQL, and a first flow answers', { timeout: patience }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-compose-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const file = join(folder, 'compose.yaml')
  // As it is, but for the port, which is taken on some machines, and the name, which older versions of Compose do not know.
  const text = readFileSync(join(root, 'compose.yaml'), 'utf8').replace('127.0.0.1:3000:3000', `127.0.0.1:${port}:3000`)
  const { name: _, ...services } = parse(text) as { name: string; services: Record<string, { build?: string }> }
  delete services.services.flowforge!.build
  writeFileSync(file, stringify(services))
  const settings = { POSTGRES_PASSWORD: 'breadandbutter', FORGE_IMAGE: image, POSTGRES_IMAGE: base.postgres }
  const call = compose(file, `forge${serial}`, { ...settings, FORGE_BASE_URL: `http://localhost:${port}` })
  onTestFinished(() => void call('down', '--volumes', '--timeout', '60'))
  call('up', '--detach')
  const container = call('ps', '--quiet', 'flowforge').trim()
  await untilHealthy(container)
  await firstFlow(port, setupTokenIn(docker('logs', container))!, patience / 2)
  expect(docker('exec', container, 'ls', '/data')).not.toContain('forge.db')
})

test('the digests of the official images stand in the files that people use', () => {
  for (const path of ['Dockerfile', 'compose.yaml'])
    expect(readFileSync(join(root, path), 'utf8')).toMatch(/bookworm(-slim)?@sha256:[0-9a-f]{64}/)
  expect(docker('inspect', '--format', '{{.Config.User}}', image)).toContain('1000:1000')
})
