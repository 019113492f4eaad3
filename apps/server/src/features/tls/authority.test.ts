import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, startServer, testClock, type TestServer } from '../../../testing/index.ts'
import { makeAuthority, type PlatformNames, signCertificate } from './authority.make.ts'

const names = { console: 'forge.workshop', domain: 'apps.workshop' }

interface Given {
  domain?: string
  clock?: ReturnType<typeof testClock>
  /** The settings of a platform that was there before. */
  former?: TestServer['config']
}

/** A platform with an authority of its own. */
async function start({ domain = 'apps.workshop', clock, former }: Given = {}) {
  const [port, redirectPort] = [await freePort(), await freePort()]
  const server = await startServer({
    ...(clock && { clock }),
    config: {
      ...(former && { home: former.home }),
      ...(former?.databaseUrl && { databaseUrl: former.databaseUrl }),
      baseUrl: `https://forge.workshop:${port}`,
      instanceDomain: `${domain}:${port}`,
      tls: { source: { kind: 'local' }, host: '127.0.0.1', port, redirectPort },
    },
  })
  return { server, port, redirectPort, authority: server.app.certificates!.authority! }
}

async function bodyOf(call: ReturnType<typeof plainRequest>) {
  const [answer] = (await once(call.end(), 'response')) as [IncomingMessage]
  let text = ''
  for await (const part of answer) text += String(part)
  return { status: answer.statusCode, headers: answer.headers, text }
}

const ask = (port: number, host: string, path: string, ca: string) =>
  bodyOf(
    request({
      host: '127.0.0.1',
      port,
      path,
      servername: host,
      ca,
      agent: false,
      headers: { host: `${host}:${port}` },
    }),
  )

test('whoever trusts the authority reaches the console and every instance, and gets no HSTS', async () => {
  const { server, port, authority } = await start()
  onTestFinished(() => server.close())
  const settings = await ask(port, 'forge.workshop', '/api/v1/settings', authority.cert)
  expect(JSON.parse(settings.text)).toMatchObject({ 'tls:authority': { fingerprint: authority.fingerprint } })
  expect(settings.headers['strict-transport-security']).toBeUndefined()
  expect((await ask(port, 'oven.apps.workshop', '/', authority.cert)).text).toContain('no instance at this address')
  expect(new X509Certificate(authority.cert).fingerprint256).toBe(authority.fingerprint)
  const admin = await server.build.user({ admin: true })
  const { checks } = await admin.client.call('health.check')
  expect(checks.find(({ part }) => part === 'Certificate')).toMatchObject({
    state: 'ok',
    seen: expect.stringContaining(authority.fingerprint),
  })
})

test('the certificate of the authority can be had by HTTPS, and by plain HTTP', async () => {
  const { server, port, redirectPort, authority } = await start()
  onTestFinished(() => server.close())
  const plain = plainRequest({
    host: '127.0.0.1',
    port: redirectPort,
    path: '/ca.crt',
    headers: { host: `forge.workshop:${redirectPort}` },
  })
  for (const answer of [await ask(port, 'forge.workshop', '/ca.crt', authority.cert), await bodyOf(plain)]) {
    expect(answer).toMatchObject({ status: 200, text: authority.cert })
    expect(answer.headers['content-type']).toBe('application/x-x509-ca-cert')
  }
})

test('the authority stays through a restart, and its key is nowhere in clear', async () => {
  const { server, authority } = await start()
  await server.stop()
  const again = await start({ former: server.config })
  onTestFinished(() => again.server.close())
  expect(again.authority).toEqual(authority)
  const row = await again.server.app.database.read.selectFrom('local_authority').selectAll().executeTakeFirstOrThrow()
  expect(row.key_sealed).toMatch(/^v2/)
  expect(JSON.stringify(row)).not.toContain('PRIVATE KEY')
  expect(new X509Certificate(row.certificate).ca).toBe(true)
})

test('other names get another authority', async () => {
  const { server, authority } = await start()
  await server.stop()
  const again = await start({ domain: 'machines.workshop', former: server.config })
  onTestFinished(() => again.server.close())
  expect(again.authority.fingerprint).not.toBe(authority.fingerprint)
  expect((await ask(again.port, 'oven.machines.workshop', '/', again.authority.cert)).status).toBe(404)
})

test('a certificate is signed anew when a third of its time is left', async () => {
  const clock = testClock()
  const { server, port } = await start({ clock })
  onTestFinished(() => server.close())
  const shown = async () => {
    const socket = connect({ host: '127.0.0.1', port, servername: 'forge.workshop', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { fingerprint256 } = socket.getPeerCertificate()
    socket.destroy()
    return fingerprint256
  }
  const first = await shown()
  clock.turn(200 * 86_400_000)
  await server.app.certificates!.reload()
  expect(await shown()).toBe(first)
  clock.turn(100 * 86_400_000)
  await server.app.certificates!.reload()
  expect(await shown()).not.toBe(first)
})

/** The verdict of a client that trusts the authority, on a certificate for these names. */
async function verdict(authority: { cert: string; key: string }, for_: PlatformNames, host: string) {
  const server = createServer({ ...(await signCertificate(authority, for_, Date.now())) }, (socket) => socket.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const socket = connect({ host: '127.0.0.1', port, ...(host && { servername: host }), ca: authority.cert })
  const said = await new Promise<string | undefined>((resolve) => {
    socket.on('secureConnect', () => resolve('trusted'))
    socket.on('error', ({ message }) => resolve(message))
  })
  socket.destroy()
  server.close()
  return said
}

test('whoever has its key can pose as no other site', async () => {
  const authority = await makeAuthority(names, Date.now())
  expect(await verdict(authority, names, 'forge.workshop')).toBe('trusted')
  expect(await verdict(authority, names, 'a.apps.workshop')).toBe('trusted')
  const bank = { console: 'bank.example', domain: 'bank.example' }
  expect(await verdict(authority, bank, 'bank.example')).toBe('permitted subtree violation')
  expect(await verdict(authority, { ...names, console: '127.0.0.1' }, '')).toMatch(/subtree violation/)
})

test('a console at an IP address is covered by its authority', async () => {
  const here = { console: '127.0.0.1', domain: 'apps.workshop' }
  const authority = await makeAuthority(here, Date.now())
  expect(await verdict(authority, here, '')).toBe('trusted')
  expect(await verdict(authority, { ...here, console: '127.0.0.2' }, '')).toMatch(/subtree violation/)
})

test('where instances have ports, the authority is good for the console alone, also at an IP address', async () => {
  const bank = { console: 'bank.example', domain: undefined }
  for (const console of ['127.0.0.1', 'forge.workshop']) {
    const here = { console, domain: undefined }
    const authority = await makeAuthority(here, Date.now())
    expect(await verdict(authority, here, console === '127.0.0.1' ? '' : console)).toBe('trusted')
    expect(await verdict(authority, bank, 'bank.example')).toMatch(/subtree violation/)
  }
})

test('openssl takes the authority and what it has signed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-authority-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const authority = await makeAuthority(names, Date.now())
  const [ca, leaf] = [join(folder, 'ca.pem'), join(folder, 'leaf.pem')]
  writeFileSync(ca, authority.cert)
  writeFileSync(leaf, (await signCertificate(authority, names, Date.now())).cert)
  const verify = ['verify', '-x509_strict', '-purpose', 'sslserver', '-verify_hostname', 'oven.apps.workshop']
  expect(execFileSync('openssl', [...verify, '-CAfile', ca, leaf], { encoding: 'utf8' })).toContain('OK')
  expect(readFileSync(ca, 'utf8')).toBe(authority.cert)
})
