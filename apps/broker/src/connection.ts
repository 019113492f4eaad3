import { mayPublish, maySubscribe, type TopicRights } from '@app/contract/comms-topics'
import {
  generate,
  type IConnectPacket,
  type IPublishPacket,
  type ISubscribePacket,
  type IUnsubscribePacket,
  type Packet,
  parser as createParser,
  writeToStream,
} from 'mqtt-packet'
import type { Duplex } from 'node:stream'
import type { House } from './broker.ts'
import { oldReturnCode, type Reason, reasons } from './codes.ts'
import type { Message, Sent, Session } from './session.ts'

/** Time for the first packet, and for the platform to answer. */
const connectMs = 20_000
/** Bytes that an unknown client may send. */
const connectBytes = 16 * 1024
/** Largest packet: flows with their credentials travel in one. */
export const packetBytes = 32 * 1024 * 1024
/** Beyond this the client does not keep up. */
const fluentBytes = 1024 * 1024

// It would keep the bytes of each number up to 65535, 8 MB.
writeToStream.cacheNumbers = false

const noRights: TopicRights = { publish: [], subscribe: [] }

/** One connection of a client, from its first byte to its last. */
export class Connection {
  session: Session | undefined
  #rights = noRights
  readonly #stream: Duplex
  readonly #house: House
  readonly #settings: { protocolVersion?: number } = {}
  readonly #parser
  #version: 3 | 4 | 5 = 4
  #keepAliveMs = connectMs
  #heardAt = Date.now()
  /** Bytes since the last whole packet. */
  #unread = 0
  #waiting: Packet[] | undefined
  #will: Message | undefined
  #isOver = false

  constructor(stream: Duplex, house: House) {
    this.#stream = stream
    this.#house = house
    this.#parser = createParser(this.#settings)
    this.#parser.on('packet', (packet: Packet) => this.#take(packet))
    this.#parser.on('error', () => this.#fail(reasons.malformed))
    stream.on('data', (chunk: Buffer) => this.#read(chunk))
    stream.on('error', () => stream.destroy())
    stream.on('drain', () => this.session?.flush())
    stream.once('close', () => this.#left())
  }

  /** Ends a connection of which nothing was heard for longer than it said. */
  look(now: number): void {
    if (this.#keepAliveMs > 0 && now - this.#heardAt > this.#keepAliveMs) this.#fail(reasons.keepAliveTimeout)
  }

  shutDown(): void {
    this.#fail(reasons.shuttingDown)
  }

  #read(chunk: Buffer): void {
    this.#heardAt = Date.now()
    this.#unread += chunk.length
    if (this.#unread > (this.session ? packetBytes : connectBytes)) return this.#fail(reasons.tooLarge)
    // The rest is the beginning of a packet.
    this.#unread = this.#parser.parse(chunk)
  }

  #take(packet: Packet): void {
    if (this.#isOver) return
    if (this.#waiting) return void this.#waiting.push(packet)
    if (packet.cmd === 'connect') {
      if (this.session) return this.#fail(reasons.protocolError)
      this.#version = packet.protocolVersion ?? 4
      this.#settings.protocolVersion = this.#version
      this.#waiting = []
      this.#stream.pause()
      return void this.#connect(packet).catch(() => this.#refuseConnect(reasons.serverUnavailable))
    }
    if (!this.session) return this.#fail(reasons.protocolError)
    this.#handle(packet, this.session)
  }

  async #connect(packet: IConnectPacket): Promise<void> {
    const { clientId, username, password } = packet
    if (!clientId) return this.#refuseConnect(reasons.badClientId)
    if (username === undefined || password === undefined) return this.#refuseConnect(reasons.badCredentials)
    const given = { username: String(username), clientId, password: password.toString() }
    const rights = await this.#house.authority.rightsOf(given)
    if (this.#isOver) return
    if (rights === undefined) return this.#refuseConnect(reasons.serverUnavailable)
    if (rights === null) return this.#refuseConnect(reasons.badCredentials)
    this.#welcome(packet, rights)
  }

  #welcome(packet: IConnectPacket, rights: TopicRights): void {
    const { session, isPresent } = this.#house.open(packet)
    const { keepalive = 0, clean, properties, will } = packet
    this.#rights = rights
    this.session = session
    this.#keepAliveMs = keepalive * 1_500
    const wished = this.#version === 5 ? (properties?.sessionExpiryInterval ?? 0) : clean ? 0 : this.#house.expiryMax
    session.expiry = Math.min(wished, this.#house.expiryMax)
    if (will && mayPublish(rights, will.topic))
      this.#will = { topic: will.topic, payload: Buffer.from(will.payload), qos: Math.min(will.qos ?? 0, 1) as 0 | 1 }
    this.#send({
      cmd: 'connack',
      sessionPresent: isPresent,
      ...(this.#version === 5
        ? {
            reasonCode: reasons.ok,
            properties: {
              sessionExpiryInterval: session.expiry,
              maximumPacketSize: packetBytes,
              retainAvailable: false,
            },
          }
        : { returnCode: 0 }),
    })
    session.attach(
      {
        isFluent: () => this.#stream.writableLength < fluentBytes,
        send: (message, sent) => this.#deliver(message, sent),
        takeOver: () => this.#takenOver(),
        setRights: (next) => void (this.#rights = next),
        refuse: () => this.#refuse(),
      },
      properties?.receiveMaximum ?? 65_535,
    )
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const next of waiting) this.#take(next)
    this.#stream.resume()
  }

  #handle(packet: Packet, session: Session): void {
    switch (packet.cmd) {
      case 'publish':
        return this.#publish(packet, session)
      case 'subscribe':
        return this.#subscribe(packet, session)
      case 'unsubscribe':
        return this.#unsubscribe(packet, session)
      case 'puback':
        return session.acknowledge(packet.messageId ?? 0)
      case 'pubrel':
        session.received.delete(packet.messageId ?? 0)
        return this.#send({ cmd: 'pubcomp', messageId: packet.messageId ?? 0, reasonCode: reasons.ok })
      case 'pingreq':
        return this.#send({ cmd: 'pingresp' })
      case 'disconnect':
        // 4: it goes, and wants its will to be published.
        if (packet.reasonCode !== 4) this.#will = undefined
        if (packet.properties?.sessionExpiryInterval !== undefined && session.expiry > 0)
          session.expiry = Math.min(packet.properties.sessionExpiryInterval, this.#house.expiryMax)
        return this.#finish()
      default:
        return this.#fail(reasons.protocolError)
    }
  }

  #publish(packet: IPublishPacket, session: Session): void {
    const { topic, qos, messageId = 0, properties, payload } = packet
    const isAllowed = mayPublish(this.#rights, topic)
    let found = 0
    if (isAllowed && !(qos === 2 && session.received.has(messageId))) {
      const { messageExpiryInterval: seconds, ...rest } = properties ?? {}
      delete rest.topicAlias
      // Each receiver gets its own.
      delete rest.subscriptionIdentifier
      found = this.#house.publish(
        {
          topic,
          payload: Buffer.from(payload),
          qos: qos === 0 ? 0 : 1,
          ...(properties && { properties: rest }),
          ...(seconds !== undefined && { expiresAt: Date.now() + seconds * 1_000 }),
        },
        session,
      )
    }
    if (qos === 0) return
    // Clients of MQTT 3.1.1 cannot be told: what they may not publish is dropped.
    const reasonCode = !isAllowed ? reasons.notAuthorized : found === 0 ? reasons.noMatchingSubscribers : reasons.ok
    if (qos === 2 && isAllowed) session.received.add(messageId)
    this.#send({ cmd: qos === 1 ? 'puback' : 'pubrec', messageId, reasonCode })
  }

  #subscribe({ subscriptions, messageId = 0, properties }: ISubscribePacket, session: Session): void {
    const identifier = properties?.subscriptionIdentifier
    const granted = subscriptions.map(({ topic, qos, nl }): number => {
      if (!maySubscribe(this.#rights, topic)) return this.#version === 5 ? reasons.notAuthorized : 0x80
      const given = qos === 0 ? 0 : 1
      const asked = { qos: given, noLocal: nl === true, ...(identifier === undefined ? {} : { identifier }) } as const
      this.#house.subscribe(session, topic, asked)
      return given
    })
    this.#send({ cmd: 'suback', messageId, granted })
  }

  #unsubscribe({ unsubscriptions, messageId = 0 }: IUnsubscribePacket, session: Session): void {
    const granted = unsubscriptions.map((filter) =>
      this.#house.unsubscribe(session, filter) ? reasons.ok : reasons.noSubscriptionExisted,
    )
    this.#send({ cmd: 'unsuback', messageId, granted })
  }

  #deliver({ topic, payload, properties, expiresAt }: Message, { qos, id, dup = false, identifier }: Sent): void {
    const isNew = this.#version === 5
    const left = expiresAt === undefined ? undefined : Math.max(1, Math.ceil((expiresAt - Date.now()) / 1_000))
    this.#send({
      cmd: 'publish',
      topic,
      payload,
      qos,
      dup,
      retain: false,
      ...(id === undefined ? {} : { messageId: id }),
      ...(isNew && (properties || left || identifier)
        ? {
            properties: {
              ...properties,
              ...(left === undefined ? {} : { messageExpiryInterval: left }),
              ...(identifier === undefined ? {} : { subscriptionIdentifier: identifier }),
            },
          }
        : {}),
    })
  }

  #send(packet: Packet): void {
    if (this.#isOver || !this.#stream.writable) return
    this.#stream.write(generate(packet, { protocolVersion: this.#version }))
  }

  #refuseConnect(reason: Reason): void {
    this.#send({
      cmd: 'connack',
      sessionPresent: false,
      ...(this.#version === 5 ? { reasonCode: reason } : { returnCode: oldReturnCode(reason) }),
    })
    this.#finish()
  }

  #fail(reason: Reason): void {
    if (this.#isOver) return
    if (this.session && this.#version === 5) this.#send({ cmd: 'disconnect', reasonCode: reason })
    this.#finish()
  }

  #refuse(): void {
    this.#will = undefined
    this.#fail(reasons.notAuthorized)
  }

  #takenOver(): void {
    const will = this.#will
    this.#will = undefined
    this.#fail(reasons.takenOver)
    if (will) this.#house.publish(will, this.session)
    this.session = undefined
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stream.end()
    // A client that keeps its side open is not waited for.
    setTimeout(() => this.#stream.destroy(), 1_000).unref()
    this.#left()
  }

  #left(): void {
    this.#isOver = true
    const { session } = this
    if (!session) return
    this.session = undefined
    session.detach(Date.now())
    if (session.expiry === 0) this.#house.end(session)
    if (this.#will) this.#house.publish(this.#will, session)
    this.#will = undefined
  }
}
