import { createServer } from 'node:net'

let asked = 0

/**
 * A free port of the loopback address, below those that the system itself gives to connections, which would otherwise
 * take it before it is listened on. Processes begin at different ones.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 11_000 + ((process.pid * 193 + (asked += 1) * 11) % 20_000)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
