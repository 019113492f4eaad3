import type { LookupOptions } from 'node:dns'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { lookAtNames, type Lookup } from '../src/cli/check.names.ts'
import { type Config, readConfig } from '../src/config.ts'
import { freePort } from './index.ts'

/** A name service in which everything below `forge.test` is this machine, as wildcard DNS has it. */
const lookup = ((host: string, options: LookupOptions, done: (error: Error | null, ...found: unknown[]) => void) => {
  if (!host.endsWith('forge.test')) return done(new Error('ENOTFOUND'))
  return options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)
}) as Lookup

async function told(more: Record<string, string>, against: 'port' | 'nothing' = 'port') {
  const config: Config = readConfig({ FORGE_HOME: '/nowhere', FORGE_PORT: String(await freePort()), ...more })
  return lookAtNames(config, against, lookup)
}

/** Passes requests on to `port`, as a reverse proxy does; `host` says which Host header it sends. */
async function openProxy(port: number, host: (given: string) => string): Promise<number> {
  const proxy = createServer((asked, answer) => {
    const headers = { host: host(asked.headers.host!) }
    request({ host: '127.0.0.1', port, path: asked.url, headers }, (reply) => {
      answer.writeHead(reply.statusCode!)
      reply.pipe(answer)
    })
      .on('error', () => answer.writeHead(502).end())
      .end()
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  return (proxy.address() as { port: number }).port
}

test('names that lead to the port of the server, also through a reverse proxy, are found to do so', async () => {
  const port = await freePort()
  const proxied = await openProxy(port, (host) => host)
  for (const at of [port, proxied]) {
    const looks = await told({
      FORGE_PORT: String(port),
      FORGE_BASE_URL: `http://forge.test:${at}`,
      FORGE_INSTANCE_DOMAIN: `apps.forge.test:${at}`,
    })
    expect(looks).toEqual([
      { part: 'names', ok: true, seen: `the console, http://forge.test:${at}: leads here (127.0.0.1).` },
      { part: 'names', ok: true, seen: `instances, below apps.forge.test:${at}: leads here (127.0.0.1).` },
    ])
  }
})

test('encrypted names are heard before there is a certificate', async () => {
  const port = await freePort()
  const names = { FORGE_BASE_URL: `https://forge.test:${port}`, FORGE_INSTANCE_DOMAIN: `apps.forge.test:${port}` }
  const looks = await told({ ...names, FORGE_TLS_LOCAL_CA: 'true' })
  expect(looks.map(({ seen }) => seen)).toEqual([
    `the console, https://forge.test:${port}: leads here (127.0.0.1).`,
    `instances, below apps.forge.test:${port}: leads here (127.0.0.1).`,
  ])
})

test('a name that leads elsewhere, one that nobody knows and a proxy that changes the Host header are told with a remedy', async () => {
  const port = await freePort()
  const closed = await freePort()
  const renaming = await openProxy(port, () => `127.0.0.1:${port}`)
  const base = { FORGE_PORT: String(port), FORGE_BASE_URL: `http://forge.test:${renaming}` }
  expect(await told({ ...base, FORGE_INSTANCE_DOMAIN: 'apps.invalid' })).toEqual([
    {
      part: 'names',
      ok: false,
      seen: `the console, http://forge.test:${renaming}: arrives with the Host header 127.0.0.1:${port}.`,
      todo: expect.stringContaining('pass the Host header on'),
    },
    {
      part: 'names',
      ok: false,
      seen: expect.stringMatching(/this machine does not know check-[0-9a-f]{8}\.apps\.invalid\./),
      todo: expect.stringMatching(/^Add \*\.apps\.invalid .*FORGE_INSTANCE_PORTS/),
    },
  ])
  const elsewhere = await openProxy(closed, (host) => host)
  const wrong = await told({
    ...base,
    FORGE_BASE_URL: `http://forge.test:${elsewhere}`,
    FORGE_INSTANCE_DOMAIN: `apps.forge.test:${closed}`,
  })
  expect(wrong.map(({ ok, seen }) => [ok, seen])).toEqual([
    [false, `the console, http://forge.test:${elsewhere}: leads to 127.0.0.1, and not to this server: it answers 502.`],
    [false, `instances, below apps.forge.test:${closed}: leads to 127.0.0.1, and not to this server: nothing answers.`],
  ])
})

test('where nothing can listen names are looked up alone, and ports need no second name', async () => {
  const names = { FORGE_BASE_URL: 'http://forge.test:3999', FORGE_INSTANCE_DOMAIN: 'apps.forge.test:3999' }
  expect((await told(names, 'nothing')).map(({ ok, seen }) => [ok, seen])).toEqual([
    [true, 'the console, http://forge.test:3999: leads to 127.0.0.1.'],
    [true, 'instances, below apps.forge.test:3999: leads to 127.0.0.1.'],
  ])
  const { FORGE_BASE_URL } = names
  expect(await told({ FORGE_BASE_URL, FORGE_INSTANCE_PORTS: '3100-3199' }, 'nothing')).toHaveLength(1)
})
