import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const handbook = join(import.meta.dirname, '../../../docs/servers.md')

/** The text of the handbook for nginx before several servers, with other ports and without TLS. */
function written(port: number, servers: readonly number[]): string {
  const text = readFileSync(handbook, 'utf8').split('```nginx\n')[1]!.split('```')[0]!
  const [upstream, ...rest] = text.split('\n\n')
  const entry = /^ {2}server .*$/m.exec(upstream!)![0]
  const entries = servers.map((one) => entry.replace(/server \S+/, `server 127.0.0.1:${one}`))
  return [`upstream forge {\n${entries.join('\n')}\n  keepalive 64;\n}`, ...rest]
    .join('\n\n')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^\s*ssl_certificate.*$/gm, '')
    .replace('forge.example.com', 'localhost')
}

/** Starts Debian's nginx before several servers. @throws Error when it does not start. */
export async function startBalancer(port: number, servers: readonly number[]) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-nginx-'))
  // Workers run as a user of their own.
  chmodSync(folder, 0o711)
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; error_log stderr error; events { worker_connections 4096; }
     http { access_log off; client_body_temp_path ${folder}/body; ${written(port, servers)} }`,
  )
  const child: ChildProcess = spawn('/usr/sbin/nginx', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr!.on('data', (part: Buffer) => (said += part.toString()))
  const ended = once(child, 'exit')
  return {
    said: () => said,
    async stop(): Promise<void> {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
