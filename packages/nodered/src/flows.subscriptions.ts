import type { createFaults } from './flows.faults.ts'
import type { FlowNodes } from './flows.nodes.ts'
import type { NodeRed } from './stack.ts'

interface Packet {
  cmd: string
  messageId?: number
  subscriptions?: { topic: string }[]
  /** The answers to subscriptions, in their order. */
  granted?: number[]
}
interface Client {
  on(event: 'packetsend' | 'packetreceive', listener: (packet: Packet) => void): unknown
}
/** A running mqtt-broker. */
interface Broker {
  client?: Partial<Client> | null
  /** By topic and by the id of the running node that subscribes. */
  subscriptions?: Record<string, object>
}

interface SubscriptionsOptions {
  known: Pick<FlowNodes, 'idOf'>
  faults: Pick<ReturnType<typeof createFaults>, 'add'>
}

/** A broker refuses a subscription with such a code. */
const refusal = 0x80

/**
 * Hears of subscriptions that a broker refuses: Node-RED shows the node as connected then, and its messages never come.
 * Returns what looks for clients that are not heard yet.
 */
export function createSubscriptions({ known, faults }: SubscriptionsOptions): (nodeRed: NodeRed) => void {
  const heard = new WeakSet<object>()

  function hear(broker: Broker, client: Client): void {
    const asked = new Map<number | undefined, string[]>()
    client.on('packetsend', ({ cmd, messageId, subscriptions = [] }) => {
      if (cmd === 'subscribe')
        asked.set(
          messageId,
          subscriptions.map(({ topic }) => topic),
        )
    })
    client.on('packetreceive', ({ cmd, messageId, granted = [] }) => {
      if (cmd !== 'suback') return
      const topics = asked.get(messageId) ?? []
      asked.delete(messageId)
      for (const topic of topics.filter((_, at) => ((granted[at] ?? 0) & refusal) !== 0)) tell(broker, topic)
    })
  }

  /** It is over as soon as the node is connected anew, or shows another error. */
  function tell({ subscriptions }: Broker, topic: string): void {
    for (const running of Object.keys(subscriptions?.[topic] ?? {})) {
      const id = known.idOf({ level: 0, id: running }) ?? running
      faults.add({ kind: 'status', id, running, message: `Its broker refuses the subscription to ${topic}` })
    }
  }

  return ({ nodes }) => {
    nodes.eachNode(({ id, type }) => {
      const broker = type === 'mqtt-broker' ? (nodes.getNode(id) as Broker | null) : null
      const client = broker?.client
      if (!broker || typeof client?.on !== 'function' || heard.has(client)) return
      heard.add(client)
      hear(broker, client as Client)
    })
  }
}
