import type { Broker, MqttClient } from '../takeover/mqtt.ts'

/** A client of mqtt.js with the list of its subscriptions, by their topics. */
export type LinkClient = MqttClient & {
  _resubscribeTopics?: Record<string, unknown>
  once(event: 'close', listener: () => void): unknown
  disconnecting?: boolean
}

/** One connection carries the messages of all link nodes; while flows are deployed there may be two for a moment. */
const clients = new Set<LinkClient>()

/** Remembers a connection of link nodes until it is over. */
export function addLinkClient(client: LinkClient): void {
  for (const former of clients) if (former.disconnecting === true) clients.delete(former)
  clients.add(client)
}

/** The connections of link nodes. */
export const linkBrokers = (): Broker[] =>
  [...clients]
    .filter(({ disconnecting }) => disconnecting !== true)
    .map((client) => ({ client, subscriptions: client._resubscribeTopics ?? {}, isLink: true }))

/** The broker then keeps messages until the next process of the instance continues the session. */
export function keepLinkSubscriptions(): void {
  for (const { client } of linkBrokers()) client.unsubscribe = () => client
}
