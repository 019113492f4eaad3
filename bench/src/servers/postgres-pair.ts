import { freePort } from '@app/server/testing'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findPostgres, serverUser } from '../../../tools/test/postgres.ts'

const run = promisify(execFile)
const waitMs = 30_000

/**
 * A PostgreSQL with a standby that has every commit before it is acknowledged, and an address that leads to one of them,
 * as that of a manager of failovers does. @throws Error when PostgreSQL is not installed or does not start.
 */
export async function startPostgresPair() {
  const bin = findPostgres()
  if (!bin) throw new Error('PostgreSQL is not installed: apt-get install postgresql, or put its programs into PATH')
  const owner = serverUser()
  const home = mkdtempSync(join(tmpdir(), 'forge-pair-'))
  if (owner) chownSync(home, owner.uid, owner.gid)
  const options = { ...owner, cwd: home }
  const started: ChildProcess[] = []

  async function start(name: string, settings: string[]) {
    const port = await freePort()
    const all = ['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${home}`, ...settings]
    const args = ['-D', join(home, name), ...all.flatMap((one) => ['-c', one])]
    const child = spawn(join(bin!, 'postgres'), args, { ...options, stdio: 'ignore' })
    started.push(child)
    const url = `postgres://forge@127.0.0.1:${port}/postgres`
    await ready(async () => void (await run(join(bin!, 'pg_isready'), ['-q', '-d', url])))
    const end = async (signal: NodeJS.Signals) => {
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    }
    return { port, url, end }
  }

  const initial = ['--username=forge', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-instructions']
  await run(join(bin, 'initdb'), [...initial, '-D', join(home, 'one')], options)
  const one = await start('one', ['synchronous_standby_names=*', 'synchronous_commit=on', 'max_connections=200'])
  const copy = ['-R', '-X', 'stream', '-D', join(home, 'other'), '-d', one.url]
  await run(join(bin, 'pg_basebackup'), copy, options)
  const other = await start('other', ['max_connections=200'])
  const way = await openWay(one.port)

  return {
    /** The address that servers use. */
    url: `postgres://forge@127.0.0.1:${way.port}/postgres`,
    /** Ends the first one as when its machine loses power. */
    async kill(): Promise<void> {
      // Its processes end when they miss the first of them.
      await one.end('SIGKILL')
      way.leadTo(undefined)
    },
    /** Makes the standby the one that is written to, and leads the address there. */
    async promote(): Promise<void> {
      await run(join(bin, 'pg_ctl'), ['promote', '-w', '-D', join(home, 'other')], options)
      way.leadTo(other.port)
    },
    /** Reaches the former standby itself. */
    otherUrl: other.url,
    async stop(): Promise<void> {
      way.close()
      for (const child of started)
        if (child.exitCode === null && child.signalCode === null) {
          const ended = once(child, 'exit')
          child.kill('SIGINT')
          await ended
        }
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function ready(check: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + waitMs; ; await pause(50)) {
    const failed = await check().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failed === undefined) return
    if (Date.now() > end) throw new Error('PostgreSQL did not start', { cause: failed })
  }
}

/** An address that leads to a port, or nowhere; connections end when it changes. */
async function openWay(first: number) {
  let target: number | undefined = first
  const open = new Set<Socket>()
  const server = createServer((incoming) => {
    if (target === undefined) return void incoming.destroy()
    const onward = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [incoming, onward],
      [onward, incoming],
    ] as const) {
      open.add(from)
      from.on('error', () => undefined).on('close', () => void (open.delete(from), to.destroy()))
      from.pipe(to)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: (server.address() as { port: number }).port,
    leadTo(port: number | undefined): void {
      target = port
      cut()
    },
    close(): void {
      server.close()
      cut()
    },
  }
}
