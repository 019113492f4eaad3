import { createServer, type Server as NetServer, type Socket } from 'node:net'
import type { Server } from 'node:http'

/** The first descriptor that systemd hands over. */
const firstDescriptor = 3

/** A listening socket that belongs to whoever started this process: connections wait in it while no server runs. */
export interface InheritedSocket {
  /** Hands connections to a server, also those that came while there was none. */
  serve(server: Server): Promise<void>
  /** Connections wait until `serve` is called again. */
  pause(): void
  /** Connections wait for the next process. */
  close(): void
}

/** The socket that is meant for this process; the variables that tell of it are taken out of `env`. */
export function inheritedSocket(env: NodeJS.ProcessEnv): InheritedSocket | undefined {
  const isOurs = Number(env.LISTEN_PID) === process.pid && Number(env.LISTEN_FDS) > 0
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name]
  if (!isOurs) return undefined
  let target: Server | undefined
  let waiting: Socket[] = []
  let listener: NetServer | undefined
  const take = (socket: Socket) => {
    if (target) return void target.emit('connection', socket)
    socket.on('error', () => socket.destroy())
    waiting.push(socket)
  }
  return {
    async serve(server) {
      target = server
      // The HTTP server begins to watch for clients that send nothing.
      server.emit('listening')
      if (!listener) {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        listener = createServer({ noDelay: true }, take)
        listener.once('error', reject).listen({ fd: firstDescriptor }, resolve)
        await promise
      }
      for (const socket of waiting) if (!socket.destroyed) server.emit('connection', socket)
      waiting = []
    },
    pause: () => (target = undefined),
    close: () => void listener?.close(),
  }
}
