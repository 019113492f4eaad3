import type { BrokerCommand, BrokerMessage, BrokerSpec, BrokerState } from '@app/contract/comms-link'
import type { TopicRights } from '@app/contract/comms-topics'
import { timingSafeEqual } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Authority } from './broker.ts'

/** Maximum time that a client waits for the server to identify it. */
const answerMs = 10_000

export interface ControlOptions {
  spec: Pick<BrokerSpec, 'token'>
  state(): BrokerState
  recheck(usernames?: readonly string[]): Promise<void>
  drop(usernames: readonly string[]): void
  end(): void
}

/** The socket on which the server commands the broker, and is asked by it. The latest server counts. */
export function createControl(options: ControlOptions) {
  let server: Socket | undefined
  let asked = 0
  const open = new Map<number, (rights: TopicRights | null | undefined) => void>()

  const say = (socket: Socket, message: BrokerMessage) => socket.write(`${JSON.stringify(message)}\n`)

  function adopt(socket: Socket): void {
    server?.destroy()
    server = socket
    say(socket, { ready: options.state() })
  }

  function hear(command: BrokerCommand): void {
    if ('answer' in command) {
      open.get(command.answer)?.(command.rights)
      open.delete(command.answer)
    } else if ('recheck' in command) void options.recheck(command.recheck)
    else if ('drop' in command) options.drop(command.drop)
    else if ('recheckAll' in command) void options.recheck()
    else if ('end' in command) options.end()
  }

  const listener = createServer((socket) => {
    let isServer = false
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      if (server !== socket) return
      server = undefined
      for (const answer of open.values()) answer(undefined)
      open.clear()
    })
    const lines = createInterface({ input: socket })
    // It repeats the errors of the socket.
    lines.on('error', () => {})
    lines.on('line', (line) => {
      const command = parsed(line)
      if (isServer && command) return hear(command)
      if (!command || !('hello' in command) || !isSame(command.hello, options.spec.token)) return socket.destroy()
      isServer = true
      return adopt(socket)
    })
  })

  const authority: Authority = {
    rightsOf(client) {
      if (!server) return Promise.resolve(undefined)
      const { promise, resolve } = Promise.withResolvers<TopicRights | null | undefined>()
      const ask = ++asked
      const timer = setTimeout(() => (open.delete(ask), resolve(undefined)), answerMs).unref()
      open.set(ask, (rights) => (clearTimeout(timer), resolve(rights)))
      say(server, { ask, ...client })
      return promise
    },
  }

  return { listener, authority, isConnected: () => server !== undefined }
}

function parsed(line: string): BrokerCommand | undefined {
  try {
    return JSON.parse(line) as BrokerCommand
  } catch {
    return undefined
  }
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(String(given)), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}
