import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../../testing/index.ts'
import { checkAddress } from './address.checks.ts'
import { checkCertificate, readCertificate } from './certificate.checks.ts'

/** A server with a certificate that nobody but itself has signed. */
async function selfSigned(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'forge-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert]
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '90']
  execFileSync('openssl', ['req', '-x509', ...made, ...name], { stdio: 'ignore' })
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) =>
    response.end('{"status":"ok"}'),
  )
  server.on('upgrade', (_request, socket) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  return `https://localhost:${(server.address() as AddressInfo).port}`
}

test('an authority that the machine does not know is one finding, of the certificate, and the address is well', async () => {
  const address = await selfSigned()
  expect(await checkAddress(address)).toMatchObject({ state: 'ok' })
  expect(await checkCertificate(address)).toMatchObject({ state: 'warning', code: 'TLS05' })
  const { shown } = await readCertificate(address)
  expect(Math.round((shown!.expiresAt - Date.now()) / 86_400_000)).toBe(90)
})

test('figures tell when the certificate of the public address expires', async () => {
  const token = 'token-for-the-figures'
  const server = await startServer({ config: { baseUrl: await selfSigned(), metricsToken: token } })
  onTestFinished(() => server.close())
  const answer = await fetch(`${server.address}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  const text = await answer.text()
  const expires = Number(/^flowforge_certificate_expiry_timestamp_seconds (\d+)$/m.exec(text)?.[1])
  expect(Math.round((expires - Date.now() / 1000) / 86_400)).toBe(90)
  expect(text).toMatch(/^flowforge_disk_size_bytes [1-9]\d*$/m)
  expect(text).toMatch(/^flowforge_disk_free_bytes \d+$/m)
})

test('there is no finding about a certificate if nobody answers', async () => {
  expect(await checkCertificate('https://127.0.0.1:1')).toMatchObject({ state: 'off' })
  expect(await checkAddress('https://127.0.0.1:1')).toMatchObject({ code: 'ADDR01' })
})
