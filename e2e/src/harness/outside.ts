import { type Client, createClient } from '@app/client'
import { routeMap } from '@app/client/routes'
import { createServer } from 'node:net'

// The journeys see the product as its users do, so nothing of the server is loaded here.

/** A client that sends this session cookie with every call. */
export function clientWith(address: string, cookie: string): Client {
  return createClient({ routes: routeMap, baseUrl: address, timeout: 30_000, headers: () => ({ cookie }) })
}

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

/**
 * Asks again until the answer satisfies.
 * @throws Error with the last answer after the deadline.
 */
export async function until<T>(
  ask: () => Promise<T>,
  satisfied: (answer: T) => boolean,
  deadlineMs = 30_000,
): Promise<T> {
  const end = Date.now() + deadlineMs
  for (;;) {
    const answer = await ask()
    if (satisfied(answer)) return answer
    if (Date.now() > end) throw new Error(`Still not after ${deadlineMs} ms: ${JSON.stringify(answer)?.slice(0, 500)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
