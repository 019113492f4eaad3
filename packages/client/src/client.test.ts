import { routes } from '@app/contract'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { addressOf, ApiError, createClient, NetworkError } from './client.ts'
import { routeMap } from './routes.generated.ts'

let close: (() => void) | undefined
afterEach(() => close?.())

interface Seen {
  method: string | undefined
  url: string | undefined
  headers: IncomingMessage['headers']
  body: string
}

/** A server that answers everything the same way, what it saw, and a client of it. */
async function answering(answer: (response: ServerResponse) => void, timeout = 5_000) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body })
      answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { seen, client: createClient({ routes: routeMap, baseUrl, timeout, headers: () => ({ 'x-more': 'yes' }) }) }
}
const json = (status: number, value: unknown) => (response: ServerResponse) =>
  response.writeHead(status).end(JSON.stringify(value))

test('the generated map has the method and the address of every route', () => {
  expect(routeMap).toEqual(
    Object.fromEntries(Object.entries(routes).map(([id, { method, path }]) => [id, [method, path]])),
  )
})

test('addresses are filled in and encoded, repeated values repeated, absent ones left out', () => {
  expect(addressOf('/a/:id/b/:name', { id: '../x', name: 'ö/?#' })).toBe('/a/..%2Fx/b/%C3%B6%2F%3F%23')
  expect(addressOf('/a', {}, { event: ['x', 'y'], limit: 0, cursor: undefined, query: 'a&b=c' })).toBe(
    '/a?event=x&event=y&limit=0&query=a%26b%3Dc',
  )
  expect(addressOf('/a/:id/*', { id: 'x', '*': 'some folder/50 %?' })).toBe('/a/x/some%20folder/50%20%25%3F')
  expect(addressOf('/a', {}, { cursor: undefined })).toBe('/a')
})

test('[API-01] a call sends JSON and gives back the parsed answer', async () => {
  const { client, seen } = await answering(json(200, { id: 't', name: 'New' }))
  expect(await client.call('team.update', { params: { teamId: 't' }, body: { name: 'New' } })).toEqual({
    id: 't',
    name: 'New',
  })
  expect(seen).toMatchObject([
    {
      method: 'PUT',
      url: '/api/v1/teams/t',
      body: '{"name":"New"}',
      headers: { 'content-type': 'application/json', accept: 'application/json', 'x-more': 'yes' },
    },
  ])
})

test('a call without a body says nothing of one, and an empty answer is none', async () => {
  const { client, seen } = await answering((response) => response.end())
  expect(await client.call('account.logout')).toBeUndefined()
  expect(seen[0]?.headers).not.toHaveProperty('content-type')
})

test('plain text is given back as it came, even when it is valid JSON', async () => {
  const plain = (text: string) => (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
  const read = { params: { teamId: 't', '*': 'fn' }, query: { type: 'functions' } } as const
  for (const text of ['return msg;', '{ "a" :1.0 }', '']) {
    const { client } = await answering(plain(text))
    expect(await client.call('library.get', read)).toBe(text)
    close?.()
  }
})

test('a refusal is an ApiError with status, code, sentence and fields', async () => {
  const { client } = await answering(
    json(409, { code: 'invalid_slug', error: 'Taken', message: 'Taken', statusCode: 409, fields: { slug: 'Taken' } }),
  )
  const refusal = client.call('team.checkSlug', { body: { slug: 'x' } })
  await expect(refusal).rejects.toBeInstanceOf(ApiError)
  await expect(refusal).rejects.toMatchObject({
    status: 409,
    code: 'invalid_slug',
    message: 'Taken',
    fields: { slug: 'Taken' },
    reply: { error: 'Taken' },
  })
})

test('a refusal that is no envelope is still an ApiError', async () => {
  const { client } = await answering((response) => response.writeHead(502).end('<html>'))
  await expect(client.call('account.get')).rejects.toMatchObject({
    status: 502,
    code: 'unexpected_error',
    message: 'The server answered 502',
    fields: {},
    reply: {},
  })
})

test('[API-02] [API-04] nobody answering, or too late, is a NetworkError', async () => {
  const { client } = await answering(() => undefined, 50)
  await expect(client.call('account.get')).rejects.toBeInstanceOf(NetworkError)
  close?.()
  await expect(client.call('account.get')).rejects.toBeInstanceOf(NetworkError)
})

test('a call that its caller gave up is no network error', async () => {
  const { client } = await answering(() => undefined)
  const stop = new AbortController()
  const call = client.call('account.get', { signal: stop.signal })
  stop.abort()
  await expect(call).rejects.toMatchObject({ name: 'AbortError' })
})

test('[API-127] there is a call for each of the helpers of an account, under its specified address', async () => {
  const { client, seen } = await answering(json(200, { count: 0 }))
  await client.call('settings.get', {})
  await client.call('account.get', {})
  await client.call('team.mine', {})
  await client.call('team.get', { params: { teamId: 't1' } })
  await client.call('team.getBySlug', { params: { teamSlug: 'bakery' } })
  await client.call('team.role', { params: { teamId: 't1' } })
  await client.call('account.login', { body: { username: 'alice', password: 'x' } })
  await client.call('account.logout', {})
  expect((await client.call('invitation.mine', {})).count).toBe(0)
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /api/v1/settings',
    'GET /api/v1/user',
    'GET /api/v1/user/teams',
    'GET /api/v1/teams/t1',
    'GET /api/v1/teams/slug/bakery',
    'GET /api/v1/teams/t1/user',
    'POST /account/login',
    'POST /account/logout',
    'GET /api/v1/user/invitations',
  ])
})
