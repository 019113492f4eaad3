import type { BrokerCommand, BrokerState, TopicRights } from '@app/contract'
import { BrokerMessage, BrokerSpec } from '@app/contract/comms-link'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'

/** Built by `npm run build`. */
const builtEntry = fileURLToPath(new URL('../../../../broker/dist/main.js', import.meta.url))
/** Longest path of a Unix socket, without its name. */
const pathMax = 80
const adoptMs = 3_000
const startMs = 20_000
const againMs = 500

export interface BrokerProcessOptions {
  config: Config
  log: Logger
  /** Answers what the broker asks; throws when that cannot be said now. */
  rightsOf(client: { username: string; clientId: string; password?: string }): Promise<TopicRights | null>
}

export type BrokerProcess = ReturnType<typeof createBrokerProcess>

/**
 * The process of the embedded broker. It outlives the server, which finds it again by its record and the token there; a
 * broker that has ended, or was built from something else, is replaced.
 */
export function createBrokerProcess({ config, log, rightsOf }: BrokerProcessOptions) {
  const folder = join(config.home, 'broker')
  const recordFile = join(folder, 'record.json')
  const entry = config.broker?.entry ?? builtEntry
  let control: Socket | undefined
  let record: BrokerSpec | undefined
  let isOver = false

  const say = (command: BrokerCommand) => void control?.write(`${JSON.stringify(command)}\n`)

  function hear(message: BrokerMessage): void {
    if (!('ask' in message)) return
    const { ask, ...client } = message
    rightsOf(client).then(
      (rights) => say({ answer: ask, rights }),
      // Unanswered, the client is told to come back.
      (error: unknown) => log.warn({ err: error }, 'the rights of a client of the broker could not be read'),
    )
  }

  /** Resolves once the broker has taken this server for its own. @throws Error when it is not there. */
  async function attach(spec: BrokerSpec, ms: number): Promise<BrokerState> {
    const socket = connect(spec.controlSocket)
    const { promise, resolve, reject } = Promise.withResolvers<BrokerState>()
    const timer = setTimeout(() => socket.destroy(new Error('the broker does not answer')), ms)
    socket.on('error', reject)
    socket.once('close', () => reject(new Error('the broker refused the server')))
    socket.once('connect', () => socket.write(`${JSON.stringify({ hello: spec.token } satisfies BrokerCommand)}\n`))
    const lines = createInterface({ input: socket })
    // It repeats the errors of the socket.
    lines.on('error', () => {})
    lines.on('line', (line) => {
      const message = readMessage(line)
      if (!message) socket.destroy(new Error('the broker sent a message that this version does not know'))
      else if ('ready' in message) resolve(message.ready)
      else hear(message)
    })
    try {
      const state = await promise
      control = socket
      record = spec
      return state
    } catch (error) {
      socket.destroy()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Starts it anew whenever it has ended. */
  function watch(): void {
    control?.once('close', () => {
      control = undefined
      if (!isOver) void restart()
    })
  }

  async function restart(): Promise<void> {
    while (!isOver && !control) {
      try {
        await begin()
        log.info('the broker was started again')
      } catch (error) {
        log.error({ err: error }, 'the broker does not start')
        await delay(againMs, undefined, { ref: false })
      }
    }
  }

  async function begin(): Promise<void> {
    const known = readRecord(recordFile)
    const build = buildOf(entry, config)
    if (known) {
      const state = await attach(known, adoptMs).catch(() => undefined)
      if (state?.build === build) {
        say({ recheckAll: true })
        return watch()
      }
      if (state) await endFormer()
    }
    const spec = await newSpec(known, build)
    // Before it is started: a process that nobody knows would go on for ever.
    writeRecord(recordFile, spec)
    const failed = launch(spec)
    await Promise.race([reach(spec), failed])
    watch()
  }

  async function endFormer(): Promise<void> {
    const closed = new Promise((resolve) => control?.once('close', resolve))
    say({ end: true })
    await Promise.race([closed, delay(adoptMs)])
    control?.destroy()
    control = undefined
  }

  async function newSpec(known: BrokerSpec | undefined, build: string): Promise<BrokerSpec> {
    const sockets =
      folder.length <= pathMax ? folder : join(tmpdir(), `forge-broker-${digest(config.home).slice(0, 16)}`)
    for (const path of [folder, sockets]) mkdirSync(path, { recursive: true, mode: 0o700 })
    if (statSync(sockets).uid !== process.getuid?.()) throw new Error(`${sockets} belongs to somebody else`)
    const [controlSocket, webSocket] = [join(sockets, 'control.sock'), join(sockets, 'mqtt.sock')]
    for (const path of [controlSocket, webSocket]) rmSync(path, { force: true })
    return {
      build,
      token: randomBytes(32).toString('base64url'),
      controlSocket,
      webSocket,
      // The same as before where that is free: instances that run know it.
      local: { host: '127.0.0.1', port: await portLike(known?.local.port) },
      ...(config.broker?.port && { tcp: { host: config.host, port: config.broker.port } }),
    }
  }

  /** Rejects when the process ends before it can be reached. */
  function launch(spec: BrokerSpec): Promise<never> {
    const output = openSync(join(folder, 'output.log'), 'w', 0o600)
    try {
      const { PATH = '', TZ = '' } = process.env
      const child = spawn(process.execPath, ['--max-semi-space-size=16', entry], {
        cwd: '/',
        detached: true,
        env: { PATH, ...(TZ && { TZ }) },
        stdio: ['pipe', output, output],
      })
      child.unref()
      const input = child.stdin!
      // It may end while it is written to; its exit says why.
      input.on('error', () => {})
      input.end(JSON.stringify(spec))
      return new Promise((_resolve, reject) => {
        child.once('error', reject)
        child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${lastOf(join(folder, 'output.log'))}`)))
      })
    } finally {
      closeSync(output)
    }
  }

  async function reach(spec: BrokerSpec): Promise<void> {
    const from = Date.now()
    for (;;) {
      const state = await attach(spec, adoptMs).catch(() => undefined)
      if (state) return
      if (Date.now() - from > startMs) throw new Error('the broker does not answer')
      await delay(50)
    }
  }

  return {
    /** Finds the broker that runs, or starts one. A broker that cannot start is tried again and again. */
    async start(): Promise<void> {
      await begin().catch((error: unknown) => {
        log.error({ err: error }, 'the broker does not start')
        void restart()
      })
    },
    /** The rights of these users may have changed; of all without names. */
    recheck: (usernames?: readonly string[]) => say(usernames ? { recheck: usernames } : { recheckAll: true }),
    /** Ends the connections of these users, whose passwords are others now. */
    drop: (usernames: readonly string[]) => say({ drop: usernames }),
    /** Address of the broker for programs on this machine; undefined before it was started. */
    localUrl: () => record && `mqtt://${record.local.host}:${record.local.port}`,
    /** The socket that takes WebSockets; undefined while there is no broker. */
    webSocket: () => (control ? record?.webSocket : undefined),
    /** Leaves the broker running. */
    stop(): void {
      isOver = true
      control?.destroy()
    },
    /** Ends the broker as well. */
    async end(): Promise<void> {
      isOver = true
      await endFormer()
    },
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

function readMessage(line: string): BrokerMessage | undefined {
  try {
    return BrokerMessage.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}

function buildOf(entry: string, { broker, host }: Config): string {
  const { mtimeMs, size } = statSync(entry)
  return digest(JSON.stringify([entry, mtimeMs, size, process.version, broker?.port ? [host, broker.port] : null]))
}

/** Undefined as well for the record of an earlier version that says something else. */
function readRecord(file: string): BrokerSpec | undefined {
  try {
    return BrokerSpec.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

function writeRecord(file: string, spec: BrokerSpec): void {
  writeFileSync(`${file}.new`, JSON.stringify(spec), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function lastOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? ''
  } catch {
    // The folder went with the server.
    return ''
  }
}

/** This port, if it is free within a moment, or another one. A process that was killed closes its listeners last. */
async function portLike(wished = 0): Promise<number> {
  for (const until = Date.now() + adoptMs; wished !== 0 && Date.now() < until; await delay(againMs / 10))
    if (await listened(wished).catch(() => undefined)) return wished
  return listened(0)
}

/** Listens on a port of this machine for a moment. @throws Error when it is taken. */
async function listened(port: number): Promise<number> {
  const server = createServer()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, '127.0.0.1', resolve)
  await promise
  const address = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return address.port
}
