import type { TopicRights } from '@app/contract/comms-topics'
import type { IPublishPacket } from 'mqtt-packet'

/** A message on its way. No delivery is above QoS 1. */
export interface Message {
  topic: string
  payload: Buffer
  qos: 0 | 1
  properties?: IPublishPacket['properties']
  /** When it must not be delivered any more, in milliseconds; absent: never. */
  expiresAt?: number
}

export interface Subscription {
  qos: 0 | 1
  /** Not of its own messages. */
  noLocal: boolean
  /** A number that MQTT 5 clients choose, to know by which subscription a message came. */
  identifier?: number
}

/** A message that one client gets, by one of its subscriptions. */
interface Delivery {
  message: Message
  identifier: number | undefined
}

/** Packet fields of a message that goes out; `id` is that of the packet, without which none is acknowledged. */
export interface Sent {
  qos: 0 | 1
  id?: number
  dup?: boolean
  identifier: number | undefined
}

/** Connection of a session to its client, while there is one. */
export interface Link {
  /** False while the client does not keep up. */
  isFluent(): boolean
  send(message: Message, sent: Sent): void
  /** Ends the connection: another one took the session over. */
  takeOver(): void
  setRights(rights: TopicRights): void
  /** Ends the connection: its user is unknown now. */
  refuse(): void
}

/** For a client that is away or slow; the oldest messages are dropped first. */
const queueLength = 1_000
const queueBytes = 8 * 1024 * 1024
/** Most messages that wait for their acknowledgement. */
const windowMax = 64

/** The subscriptions of a client and the messages that it has not acknowledged. */
export class Session {
  readonly clientId: string
  readonly username: string
  readonly subscriptions = new Map<string, Subscription>()
  /** Ids of QoS 2 messages from the client that it has not released. */
  readonly received = new Set<number>()
  /** Seconds that it outlives its connection. */
  expiry = 0
  /** When it ends, while nobody is connected. */
  endsAt: number | undefined
  dropped = 0
  #link: Link | undefined
  #window = windowMax
  #queue: Delivery[] = []
  #bytes = 0
  readonly #inflight = new Map<number, Delivery>()
  #lastId = 0

  constructor(clientId: string, username: string) {
    this.clientId = clientId
    this.username = username
  }

  get link(): Link | undefined {
    return this.#link
  }

  /** Repeats what was not acknowledged, then sends what waits. */
  attach(link: Link, receiveMaximum: number): void {
    this.#link = link
    this.#window = Math.min(windowMax, receiveMaximum)
    this.endsAt = undefined
    for (const [id, { message, identifier }] of this.#inflight)
      link.send(message, { qos: 1, id, dup: true, identifier })
    this.flush()
  }

  detach(now: number): void {
    this.#link = undefined
    this.endsAt = now + this.expiry * 1_000
  }

  /** Sends, or keeps it for later: QoS 0 is dropped where it cannot be sent. */
  deliver(message: Message, { qos: granted, identifier }: Subscription): void {
    const qos = Math.min(message.qos, granted)
    const link = this.#link
    if (qos === 0) {
      if (link?.isFluent()) link.send(message, { qos: 0, identifier })
      else this.dropped += 1
      return
    }
    this.#queue.push({ message, identifier })
    this.#bytes += message.payload.length
    this.flush()
    while (this.#queue.length > queueLength || this.#bytes > queueBytes) {
      this.#bytes -= this.#queue.shift()!.message.payload.length
      this.dropped += 1
    }
  }

  acknowledge(id: number): void {
    if (this.#inflight.delete(id)) this.flush()
  }

  flush(): void {
    const link = this.#link
    while (link?.isFluent() && this.#inflight.size < this.#window && this.#queue.length > 0) {
      const { message, identifier } = this.#queue.shift()!
      this.#bytes -= message.payload.length
      if (message.expiresAt !== undefined && message.expiresAt <= Date.now()) continue
      const id = this.#nextId()
      this.#inflight.set(id, { message, identifier })
      link.send(message, { qos: 1, id, identifier })
    }
  }

  #nextId(): number {
    do this.#lastId = (this.#lastId % 65_535) + 1
    while (this.#inflight.has(this.#lastId))
    return this.#lastId
  }
}
