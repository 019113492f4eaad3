import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A line of one server to its database, which can be cut or held up while others keep theirs. */
export async function linkTo(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const folder = target.searchParams.get('host')
  const port = Number(target.port || 5432)
  const sockets = new Set<Socket>()
  let isCut = false
  let isHeld = false
  const server = createServer((socket) => {
    if (isCut) return void socket.destroy()
    if (isHeld) return void sockets.add(socket.on('error', () => undefined))
    const database = folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(port, target.hostname)
    for (const [from, to] of [
      [socket, database],
      [database, socket],
    ] as const) {
      sockets.add(from)
      from
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(from)
          to.destroy()
        })
      from.pipe(to)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    cut(): void {
      isCut = true
      drop()
    },
    mend(): void {
      isCut = false
      isHeld = false
    },
    /** New connections are taken, and nobody answers them. */
    hold: (): void => void (isHeld = true),
    close(): void {
      drop()
      server.close()
    },
  }
}
