import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createNpm } from './npm.ts'
import { pingRegistry } from './npm.ping.ts'

/** A registry over TLS with a certificate that nobody has signed but itself. */
async function openRegistry() {
  const folder = mkdtempSync(join(tmpdir(), 'forge-registry-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert]
  const subject = ['-subj', '/CN=registry', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '9']
  execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'ignore' })
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_request, response) =>
    response.setHeader('content-type', 'application/json').end('{}'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const registry = `--registry=https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { cert, ping: (...settings: string[]) => ping(folder, [registry, ...settings]) }
}

async function ping(folder: string, settings: string[]) {
  const npm = createNpm({ command: 'npm', args: settings })
  onTestFinished(() => npm.close())
  return pingRegistry(npm, folder)
}

test('a registry whose certificate npm does not trust is not reachable, and the reason is told', async () => {
  const { ping } = await openRegistry()
  expect(await ping()).toEqual({
    reachable: false,
    reason: expect.stringMatching(/^npm does not trust the certificate of the registry \(.*self[- ]signed certificate/),
  })
})

test.each([['cafile'], ['strict-ssl']])('the setting %s of npm counts', async (setting) => {
  const { cert, ping } = await openRegistry()
  expect(await ping(setting === 'cafile' ? `--cafile=${cert}` : '--strict-ssl=false')).toEqual({ reachable: true })
})
