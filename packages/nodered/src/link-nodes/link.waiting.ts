/** As much as the broker keeps for a client that is away. */
const most = { messages: 1_000, bytes: 8 * 1024 * 1024 }

type Told = (error?: Error, packet?: unknown) => void

/** The parts that are used of mqtt.js. */
export interface Publisher {
  connected: boolean
  publish(topic: string, text: string, options: object, told: Told): unknown
  getLastMessageId(): number
  removeOutgoingMessage(id: number): unknown
}

/**
 * Bounds the messages that wait in a client while the broker is away, or the memory of its process would end before a long
 * outage does. The oldest go first, with an error for the node that sent them.
 */
export function boundWaiting(client: Publisher): void {
  const publish = client.publish.bind(client)
  /** The bytes of each message that is not confirmed, the oldest first. */
  const waiting = new Map<number, number>()
  let bytes = 0

  function forget(id: number): void {
    bytes -= waiting.get(id) ?? 0
    waiting.delete(id)
  }

  client.publish = (topic, text, options, told) => {
    const before = client.getLastMessageId()
    const sent: { id?: number } = {}
    const result = publish(topic, text, options, (error, packet) => {
      const { id } = sent
      const isDropped = id !== undefined && !waiting.has(id)
      if (id !== undefined) forget(id)
      told(
        isDropped ? new Error('The broker is away, and too many messages wait: the oldest was dropped') : error,
        packet,
      )
    })
    // It has none yet while the client sends again what was not confirmed.
    if (client.getLastMessageId() === before) return result
    const id = client.getLastMessageId()
    sent.id = id
    waiting.set(id, Buffer.byteLength(text))
    bytes += Buffer.byteLength(text)
    while (!client.connected && waiting.size > 1 && (waiting.size > most.messages || bytes > most.bytes)) {
      const [oldest] = waiting.keys()
      forget(oldest!)
      client.removeOutgoingMessage(oldest!)
    }
    return result
  }
}
