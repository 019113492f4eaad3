import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { onTestFinished } from 'vitest'

/** Files of a certificate that nobody but itself has signed, for every user of the machine. */
export function certificate(): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'forge-certificate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', ...made, '-subj', '/CN=localhost', '-days', '9'], { stdio: 'ignore' })
  chmodSync(folder, 0o755)
  for (const file of [key, cert]) chmodSync(file, 0o644)
  return { cert, key }
}

const host = '127.0.0.1'

/** Says one line over a connection. */
const end = (socket: ReturnType<typeof connect>, text: string) =>
  new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', () => resolve())
    socket.end(`${text}\n`).resume()
  })

/** Says one line over TCP. @throws Error when nobody listens. */
export const sayTo = (port: number, text: string): Promise<void> => end(connect(port, host), text)

/** Says one line over each: TCP, TLS and UDP. */
export async function say(
  { tcp, tls, udp }: Record<'tcp' | 'tls' | 'udp', number>,
  [byTcp, byTls, byUdp]: readonly [string, string, string],
): Promise<void> {
  await sayTo(tcp, byTcp)
  await end(connectTls({ port: tls, host, rejectUnauthorized: false }), byTls)
  const datagram = createSocket('udp4')
  await new Promise<void>((resolve, reject) =>
    datagram.send(byUdp, udp, host, (error) => (error ? reject(error) : resolve())),
  )
  datagram.close()
}
