import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send, startServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let pages: string
beforeAll(async () => {
  pages = await mkdtemp(join(tmpdir(), 'forge-pages-'))
  await mkdir(join(pages, 'assets'))
  await writeFile(join(pages, 'index.html'), '<script nonce="__CSP_NONCE__"></script>')
  await writeFile(join(pages, 'favicon.svg'), '<svg/>')
  await writeFile(join(pages, 'assets', 'index-4fK2x.js'), '1')
  server = await startServer({ pages })
})
afterAll(async () => {
  await server.close()
  await rm(pages, { recursive: true })
})

const get = (path: string) => send(server.address, 'GET', path, { headers: { accept: 'text/html' } })

test.each(['/', '/team/one/applications', '/index.html'])(
  '%s is the page, with a nonce and never kept',
  async (path) => {
    const { status, text, headers } = await get(path)
    const nonce = /nonce="([^"_]+)"/.exec(text)?.[1]
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(headers.get('content-security-policy')).toContain(`'nonce-${nonce}'`)
  },
)

test('the page may connect to the server of product analytics where there is one, and else to its own alone', async () => {
  const policyOf = async (address: string) =>
    (await send(address, 'GET', '/', { headers: { accept: 'text/html' } })).headers.get('content-security-policy')
  expect(await policyOf(server.address)).not.toContain('connect-src')
  const counted = await startServer({ pages, config: { analytics: { key: 'k', url: 'https://eu.example.com' } } })
  expect(await policyOf(counted.address)).toContain("; connect-src 'self' https://eu.example.com;")
  await counted.close()
})

test('the set-up page may ask for names of instances, until the platform is set up', async () => {
  const policy = async () => (await get('/setup')).headers.get('content-security-policy')
  expect(await policy()).toContain(`; connect-src 'self' http://*.localhost:${server.config.port};`)
  await server.build.user({ admin: true })
  await server.app.database.transact((tx) => server.app.services.settings.set(tx, 'setup:initialised', true))
  expect(await policy()).not.toContain('connect-src')
})

test.each(['GET', 'HEAD'])(
  '%s / answers 200 to programs that say nothing of HTML, and other paths do not',
  async (method) => {
    const asked: Record<string, string>[] = [
      {},
      { accept: '*/*', authorization: 'Bearer ffadp_x' },
      { accept: 'application/json' },
    ]
    for (const headers of asked) expect((await send(server.address, method, '/', { headers })).status).toBe(200)
    expect((await send(server.address, method, '/team/one', { headers: { accept: '*/*' } })).status).toBe(404)
  },
)

test.each([
  ['br, gzip', 'br'],
  ['gzip', 'gzip'],
  ['identity', null],
])('The page is compressed for who takes %s', async (accepted, encoding) => {
  const answer = await send(server.address, 'GET', '/', {
    headers: { accept: 'text/html', 'accept-encoding': accepted },
  })
  expect(answer.headers.get('content-encoding')).toBe(encoding)
  expect(answer.headers.get('vary')).toBe('accept-encoding')
  expect(answer.text).toMatch(/^<script nonce="[^"_]+"><\/script>$/)
})

test('only files with a hash in their name are kept for ever', async () => {
  const keeps = async (path: string) => (await get(path)).headers.get('cache-control')
  expect(await keeps('/assets/index-4fK2x.js')).toContain('immutable')
  expect(await keeps('/favicon.svg')).toBe('no-cache')
})
