import { type Client, createClient } from '@app/client'
import { routeMap } from '@app/client/routes'

export { until } from '../../../tools/test/until.ts'

// The journeys see the product as its users do, so nothing of the server is loaded here.

/** A client that sends this session cookie with every call. */
export function clientWith(address: string, cookie: string): Client {
  return createClient({ routes: routeMap, baseUrl: address, timeout: 30_000, headers: () => ({ cookie }) })
}
