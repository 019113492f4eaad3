import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/**
 * A proxy to the platform that cuts every third connection after a few bytes of the answer, and delays each of the others
 * differently, so that what is said later on one arrives sooner than what was said on another.
 */
export async function badNetwork() {
  let count = 0
  const open = new Set<Socket>()
  const server = createServer().on('connect', ({ url = '' }, socket: Socket) => {
    count += 1
    const isCut = count % 3 === 0
    const delayMs = 5 + (count % 4) * 60
    const { hostname, port } = new URL(`http://${url}`)
    const far = connect(Number(port), hostname, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    const end = () => [socket, far].forEach((one) => one.destroy())
    // Delayed bytes still arrive.
    const endLater = () => setTimeout(end, 2 * delayMs)
    for (const one of [socket, far]) open.add(one.on('error', endLater).on('close', endLater))
    socket.on('data', (part) => setTimeout(() => far.write(part), delayMs))
    far.on('data', (part) => {
      setTimeout(() => socket.write(isCut ? part.subarray(0, 40) : part, () => isCut && end()), delayMs)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    async close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
