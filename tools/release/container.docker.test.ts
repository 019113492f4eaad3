import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { hasPebble } from '../../apps/server/testing/pebble.ts'
import { root } from '../build/built.ts'
import { acmeBeside } from './compose.acme.ts'
import { baseOf, compose, docker } from './container.engine.ts'
import { firstFlow, reply, setupTokenIn, type Site, upgrade } from './newcomer.ts'
import { makePackage } from './package.ts'
import { freePort } from '../test/free-port.ts'

/** On a machine that is busy with something else; alone it takes two minutes. */
const patience = 900_000
const image = 'flowforge-tested'
const serial = process.pid
const base = baseOf()
const inventedAddress = '192.0.2.66'

beforeAll(async () => {
  await makePackage()
  docker('build', '--build-arg', `BASE=${base.node}`, '--tag', image, root)
}, patience)
afterAll(() => void docker('image', 'rm', '--force', image))

/** A compose file as it is, but for its ports on this machine, and its name, which older versions of Compose do not know. */
function composeFile(path: string, ports: Record<string, number>): object {
  const { name: _, ...file } = parse(readFileSync(join(root, path), 'utf8')) as ComposeFile
  const { flowforge } = file.services
  delete flowforge.build
  flowforge.ports = flowforge.ports.map((port) => {
    const [outside, inside] = [port.slice(0, port.lastIndexOf(':')), port.slice(port.lastIndexOf(':'))]
    return `127.0.0.1:${ports[outside]}${inside}`
  })
  return file
}

interface ComposeFile {
  name?: string
  services: { flowforge: { build?: string; ports: string[] } }
}

/** Starts these files with our image until the end of the test. */
async function composed(contents: readonly object[], env: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-compose-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files = contents.map((content, at) => {
    const file = join(folder, `${at}.yaml`)
    writeFileSync(file, stringify(content))
    return file
  })
  const settings = { POSTGRES_PASSWORD: 'breadandbutter', FORGE_IMAGE: image, POSTGRES_IMAGE: base.postgres }
  const call = compose(files, `forge${serial}`, { ...settings, ...env })
  onTestFinished(() => void call('down', '--volumes', '--timeout', '60'))
  call('up', '--detach')
  const container = call('ps', '--quiet', 'flowforge').trim()
  await untilHealthy(container)
  return { call, container, token: setupTokenIn(docker('logs', container))! }
}

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
  const port = await freePort()
  const { container, token } = await composed([composeFile('compose.yaml', { '127.0.0.1:3000': port })], {
    FORGE_BASE_URL: `http://localhost:${port}`,
  })
  await firstFlow(port, token, patience / 2)
  expect(docker('exec', container, 'ls', '/data')).not.toContain('forge.db')
})

describe.runIf(hasPebble)('compose with TLS', () => {
  test('gets certificates by ACME for the console and the instance, redirects to HTTPS, and Health finds nothing wrong', {
    timeout: patience,
  }, async () => {
    const [http, https] = [await freePort(), await freePort()]
    const acme = await acmeBeside(image, `10.213.${serial % 256}`)
    const files = [
      composeFile('compose.yaml', { '127.0.0.1:3000': await freePort() }),
      composeFile('compose.tls.yaml', { 80: http, 443: https }),
      acme.file,
    ]
    const { token, call } = await composed(files, {
      FORGE_BASE_URL: 'https://forge.test',
      FORGE_INSTANCE_DOMAIN: 'apps.test',
      FORGE_TLS_ACME_EMAIL: 'admin@forge.test',
    })
    // Clients trust the ACME server alone.
    const ca = await acme.root()
    const site: Site = {
      base: 'https://forge.test',
      hostOf: (instance) => `${instance}.apps.test`,
      send: (host, path, one) => reply({ host: '127.0.0.1', port: https, path, servername: host, ca }, host, one),
    }
    const isServed = () => site.send('forge.test', '/livez').then(({ status }) => status, String)
    await expect.poll(isServed, { timeout: 60_000 }).toBe(200)
    const { name, cookie } = await firstFlow(site, token, patience / 2)
    const instance = site.hostOf(name)

    for (const host of ['forge.test', instance])
      expect(await reply({ host: '127.0.0.1', port: http, path: '/a?b=1' }, host)).toMatchObject({
        status: 307,
        headers: { location: `https://${host}/a?b=1` },
      })

    // The editor keeps a WebSocket open.
    expect(await upgrade({ host: '127.0.0.1', port: https, path: '/comms', servername: instance, ca }, instance)).toBe(
      101,
    )

    // A client is who connects, and not who it says it is.
    call('exec', '-T', 'acme', 'node', '-e', acme.signIn('forge.test', inventedAddress))
    const headers = { cookie, origin: site.base }
    const { text: log } = await site.send('forge.test', '/api/v1/admin/audit-log', { headers })
    expect(log).toContain(`"address":"${acme.address}"`)
    expect(log).not.toContain(inventedAddress)

    const { text } = await site.send('forge.test', '/api/v1/admin/health', { method: 'POST', headers })
    const { checks } = JSON.parse(text) as { checks: { part: string; code?: string; seen?: string }[] }
    const codes = checks.flatMap(({ code = '' }) => (/^(ADDR|PROXY|TLS)/.test(code) ? [code] : []))
    // Pebble makes a new authority at each start, so no container can trust it beforehand.
    expect(codes).toEqual(['TLS05'])
    expect(checks).toContainEqual(
      expect.objectContaining({
        part: 'Certificates by ACME',
        seen: '2 certificates were issued, and none has failed.',
      }),
    )
  })
})

test('the digests of the official images stand in the files that people use', () => {
  for (const path of ['Dockerfile', 'compose.yaml'])
    expect(readFileSync(join(root, path), 'utf8')).toMatch(/bookworm(-slim)?@sha256:[0-9a-f]{64}/)
  expect(docker('inspect', '--format', '{{.Config.User}}', image)).toContain('1000:1000')
})
