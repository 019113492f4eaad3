import { type Client, createClient } from '@app/client'
import { routeMap } from '@app/client/routes'

// The journeys see the product as its users do, so nothing of the server is loaded here.

/** A client that sends this session cookie with every call. */
export function clientWith(address: string, cookie: string): Client {
  return createClient({ routes: routeMap, baseUrl: address, timeout: 30_000, headers: () => ({ cookie }) })
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
