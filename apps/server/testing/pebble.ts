import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from '../../../tools/test/free-port.ts'
import { findInPath } from '../../../tools/test/programs.ts'
import { createAuthority } from './authority.ts'

export const hasPebble = findInPath(['pebble']) !== undefined

export type Pebble = Awaited<ReturnType<typeof startPebble>>

/**
 * Pebble, the ACME server that Let's Encrypt tests clients with, until the end of the test. Every name leads to this
 * machine, where it asks port `httpPort`. `days`: how long certificates are valid.
 * `accounts`: it takes these external accounts alone, each with its key.
 */
export async function startPebble({
  httpPort,
  days = 90,
  accounts,
}: {
  httpPort: number
  days?: number
  accounts?: Record<string, string>
}) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-pebble-'))
  const authority = createAuthority()
  authority.issue(['localhost'])
  const [port, management, dns, dnsManagement] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const file = join(folder, 'pebble.json')
  const caFile = join(folder, 'ca.pem')
  writeFileSync(caFile, authority.ca)
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: authority.files.certFile,
    privateKey: authority.files.keyFile,
    httpPort,
    tlsPort: 1,
    certificateValidityPeriod: days * 86_400,
    ...(accounts && { externalAccountBindingRequired: true, externalAccountMACKeys: accounts }),
  }
  writeFileSync(file, JSON.stringify({ pebble }))
  const dnsOptions = { dns01: `127.0.0.1:${dns}`, management: `127.0.0.1:${dnsManagement}`, defaultIPv6: '' }
  const off = { http01: '', https01: '', tlsalpn01: '' }
  const flags = Object.entries({ ...dnsOptions, ...off }).flatMap(([name, value]) => [`-${name}`, value])
  const names = run('pebble-challtestsrv', flags)
  let log = ''
  function serve(): ChildProcess {
    const child = run('pebble', ['-config', file, '-dnsserver', `127.0.0.1:${dns}`], {
      PEBBLE_VA_NOSLEEP: '1',
      PEBBLE_AUTHZREUSE: '0',
    })
    child.stdout!.on('data', (part: Buffer) => (log += part.toString()))
    return child
  }
  let server = serve()
  onTestFinished(async () => {
    await Promise.all([server, names].map(ended))
    rmSync(folder, { recursive: true, force: true })
  })

  async function get(of: number, path: string): Promise<string> {
    const call = request({ host: '127.0.0.1', servername: 'localhost', port: of, path, ca: authority.ca, agent: false })
    const [answer] = (await once(call.end(), 'response')) as [IncomingMessage]
    let text = ''
    for await (const part of answer) text += String(part)
    return text
  }
  const answers = (what: () => Promise<unknown>) => what().then(Boolean, () => false)
  const isUp = async () =>
    (await answers(() => get(port, '/dir'))) &&
    (await answers(() => get(management, '/roots/0'))) &&
    answers(() => fetch(`http://127.0.0.1:${dnsManagement}/`))
  async function untilUp(): Promise<void> {
    while (server.exitCode === null && !(await isUp())) await new Promise((resolve) => setTimeout(resolve, 30))
    if (server.exitCode !== null) throw new Error(`pebble ended with ${server.exitCode}`)
  }
  await untilUp()

  const tell = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${dnsManagement}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`pebble-challtestsrv answered ${answer.status} to ${path}`)
  }
  return {
    directory: `https://localhost:${port}/dir`,
    /** File of the authority that signed the certificate of the server itself. */
    caFile,
    /** The authority that signs the certificates which it issues. */
    root: () => get(management, '/roots/0'),
    /** Makes the name unknown. */
    forget: (host: string) => tell('/set-servfail', { host }),
    /** Makes the name known again. */
    know: (host: string) => tell('/clear-servfail', { host }),
    /** Numbers of orders and of checks of names that it has seen. */
    counts: () => ({ orders: occurrences(log, 'Added order'), checks: occurrences(log, 'Starting 3 validations') }),
    stop: () => ended(server),
    /** Another process in its place, which knows nothing of what was before. */
    async restart(): Promise<void> {
      await ended(server)
      server = serve()
      await untilUp()
    },
  }
}

function run(program: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...env } })
}

const occurrences = (text: string, part: string) => text.split(part).length - 1

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
