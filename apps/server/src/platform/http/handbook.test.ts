import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send, startServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let pages: string
beforeAll(async () => {
  pages = await mkdtemp(join(tmpdir(), 'forge-handbook-'))
  await mkdir(join(pages, 'docs/assets'), { recursive: true })
  await writeFile(join(pages, 'index.html'), 'console')
  await writeFile(join(pages, 'docs/index.html'), 'overview')
  await writeFile(join(pages, 'docs/backup.html'), 'backup')
  await writeFile(join(pages, 'docs/api.html'), 'reference')
  await writeFile(join(pages, 'docs/api-team.html'), 'teams')
  await writeFile(join(pages, 'docs/404.html'), 'no such page')
  await writeFile(join(pages, 'docs/assets/handbook-4fK2x.js'), '1')
  server = await startServer({ pages })
})
afterAll(async () => {
  await server.close()
  await rm(pages, { recursive: true })
})

const get = (path: string) => send(server.address, 'GET', path, { headers: { accept: 'text/html' } })

test.each([
  ['/docs/', 'overview'],
  ['/docs', 'overview'],
  ['/docs/?from=menu', 'overview'],
  ['/docs/backup', 'backup'],
  ['/docs/api', 'reference'],
  ['/docs/api-team', 'teams'],
])('[SHELL-27] %s is a page of the handbook, without signing in', async (path, text) => {
  const answer = await get(path)
  expect([answer.status, answer.text, answer.headers.get('cache-control')]).toEqual([200, text, 'no-cache'])
  expect(answer.headers.get('content-type')).toContain('text/html')
})

test('its pages may load what the console may, and nothing from elsewhere', async () => {
  const policy = (await get('/docs/backup')).headers.get('content-security-policy')
  const console = (await get('/')).headers.get('content-security-policy')
  const withoutNonce = (text: string | null) => text?.replaceAll(/'nonce-[^']+'/g, '')
  expect(withoutNonce(policy)).toBe(withoutNonce(console))
})

test('an address without a page answers 404 with the page of the handbook that says so', async () => {
  for (const path of ['/docs/no-such-page', '/docs/api/nothing']) {
    const { status, text } = await get(path)
    expect([path, status, text]).toEqual([path, 404, 'no such page'])
  }
})

test('files with a hash in their name are kept for ever', async () => {
  expect((await get('/docs/assets/handbook-4fK2x.js')).headers.get('cache-control')).toContain('immutable')
})
