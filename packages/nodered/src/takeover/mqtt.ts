import { linkBrokers } from '../link-nodes/link.clients.ts'
import type { NodeRed } from '../stack.ts'

/** The parts that are used of Node-RED's mqtt client. */
export interface MqttClient {
  connected: boolean
  options: { clean?: boolean; clientId?: string }
  /** Acknowledged messages of QoS 2 that are not complete. */
  incomingStore?: { _inflights?: Map<unknown, unknown> }
  outgoing?: object
  unsubscribe(topic: string, ...rest: unknown[]): unknown
  reconnect(): unknown
  prependListener(event: 'packetreceive', listener: (packet: { cmd: string }) => void): unknown
  stream?: { destroyed?: boolean }
}

export interface Broker {
  client: MqttClient
  /** Topics with their subscribers. */
  subscriptions?: Record<string, unknown>
  /** The connection of the link nodes. */
  isLink?: boolean
}

const isClient = (client: unknown): client is MqttClient =>
  typeof client === 'object' && client !== null && typeof (client as MqttClient).reconnect === 'function'

/** The brokers that nodes of the flows are connected to, or want to be. */
export function brokersOf(nodeRed: NodeRed): Broker[] {
  const found: Broker[] = []
  nodeRed.nodes.eachNode(({ id, type }) => {
    if (type !== 'mqtt-broker') return
    const node = nodeRed.nodes.getNode(id) as unknown as Partial<Broker> | null
    if (node && isClient(node.client)) found.push(node as Broker)
  })
  return [...found, ...linkBrokers()]
}

/** Names a subscription of a session that the broker keeps; undefined for a session that ends with its connection. */
function keptNames({ client, subscriptions = {} }: Broker): string[] {
  if (client.options.clean !== false) return []
  return Object.keys(subscriptions).map((topic) => `${client.options.clientId} ${topic}`)
}

/** The subscriptions that the broker keeps while nobody is connected, by the nodes that run or, before that, the flows. */
export function keptSubscriptions(nodeRed: NodeRed): string[] {
  const running = brokersOf(nodeRed)
  return running.length > 0 ? running.flatMap(keptNames) : plannedNames(nodeRed)
}

/** The contents of such a name are known only when the nodes run. */
const isOpen = (text: string) => text.includes('${')

function plannedNames(nodeRed: NodeRed): string[] {
  const sessions = new Map<string, string>()
  const topics: { broker: string; topic: string }[] = []
  let links: readonly string[] = []
  nodeRed.nodes.eachNode(({ id, type, clientid, cleansession, broker, topic }) => {
    if (type === 'project link in' || type === 'project link call') links = [linkSubscriptions]
    if (type === 'mqtt-broker' && cleansession === false) sessions.set(id, String(clientid))
    if (type === 'mqtt in') topics.push({ broker: String(broker), topic: String(topic) })
  })
  const kept = topics.filter(({ broker }) => sessions.has(broker))
  const names = kept.map(({ broker, topic }) => `${sessions.get(broker)} ${topic}`)
  return [...(names.some(isOpen) ? [anySubscription] : names), ...links]
}

/** Stands for all subscriptions, where it is not known which there will be. */
const anySubscription = '*'
/** Stands for those of all link nodes. */
const linkSubscriptions = 'link *'

/**
 * Takes no further message, and acknowledges none: the broker keeps those of QoS 1 and 2 for the next connection of
 * the session. What was begun with QoS 2 is completed. The subscriptions in `keep` outlast the connection.
 */
export function mute({ client, isLink = false }: Broker, keep: ReadonlySet<string>): void {
  client.prependListener('packetreceive', (packet) => {
    // The client passes over a packet that it does not know.
    if (packet.cmd === 'publish') packet.cmd = 'held'
  })
  const usual = client.unsubscribe.bind(client)
  const isKept = (topic: string) =>
    keep.has(anySubscription) ||
    (isLink && keep.has(linkSubscriptions)) ||
    keep.has(`${client.options.clientId} ${topic}`)
  if (client.options.clean === false)
    client.unsubscribe = (topic, ...rest) => (isKept(topic) ? client : usual(topic, ...rest))
}

/** Has begun to receive a message of QoS 2 that is not complete yet. */
export const isReceiving = ({ client }: Broker): boolean => (client.incomingStore?._inflights?.size ?? 0) > 0

/** One that gave up while it could not connect does so again at once. */
export function connectAgain({ client }: Broker): void {
  if (!client.connected && client.stream?.destroyed === true) client.reconnect()
}
