import { maySubscribe, type TopicRights } from '@app/contract/comms-topics'
import type { IConnectPacket } from 'mqtt-packet'
import type { Duplex } from 'node:stream'
import { Connection } from './connection.ts'
import { type Message, Session, type Subscription } from './session.ts'
import { sharedOf, Subscriptions } from './subscriptions.ts'

/** Knows clients and their rights. */
export interface Authority {
  /** The rights of the client; null: unknown or wrong; undefined: nobody can say now. */
  rightsOf(client: { username: string; clientId: string; password?: string }): Promise<TopicRights | null | undefined>
}

/** Sessions of clients that are away end after this at the latest, in seconds. */
const expiryMax = 3_600
const lookEveryMs = 2_000

export type Broker = ReturnType<typeof createBroker>

/**
 * An MQTT broker, versions 3.1.1 and 5: QoS 2 is taken and delivered as QoS 1, nothing is retained, and everything is
 * kept in memory. A client may do what its rights say, and nothing without.
 */
export function createBroker(authority: Authority) {
  const sessions = new Map<string, Session>()
  const subscriptions = new Subscriptions()
  const connections = new Set<Connection>()

  function publish(message: Message, from: Session | undefined): number {
    const receivers = subscriptions.match(message.topic, from)
    for (const [session, all] of receivers) for (const one of all) session.deliver(message, one)
    return receivers.size
  }

  function end(session: Session): void {
    for (const filter of session.subscriptions.keys()) subscriptions.remove(session, filter)
    session.subscriptions.clear()
    if (sessions.get(session.clientId) === session) sessions.delete(session.clientId)
  }

  /** The session that the client continues, or a new one. Who was connected by that id is not any more. */
  function open({ clientId, username = '', clean }: IConnectPacket) {
    const former = sessions.get(clientId)
    former?.link?.takeOver()
    // Its end may have been the end of the session.
    const isKept = former && sessions.get(clientId) === former && !clean && former.username === username
    if (isKept) return { session: former, isPresent: true }
    if (former) end(former)
    const session = new Session(clientId, username)
    sessions.set(clientId, session)
    return { session, isPresent: false }
  }

  const house = {
    authority,
    expiryMax,
    open,
    end,
    publish,
    subscribe(session: Session, filter: string, asked: Subscription): void {
      const subscription = { ...asked, noLocal: asked.noLocal && sharedOf(filter).group === undefined }
      session.subscriptions.set(filter, subscription)
      subscriptions.add(session, filter, subscription)
    },
    unsubscribe(session: Session, filter: string): boolean {
      subscriptions.remove(session, filter)
      return session.subscriptions.delete(filter)
    },
  }

  const looking = setInterval(() => {
    const now = Date.now()
    for (const connection of connections) connection.look(now)
    for (const session of sessions.values())
      if (session.endsAt !== undefined && session.endsAt <= now && !session.link) end(session)
  }, lookEveryMs)

  /** Subscriptions that the rights do not cover any more end; a client that is unknown now is closed. */
  async function recheck(session: Session): Promise<void> {
    const { username, clientId } = session
    const rights = await authority.rightsOf({ username, clientId })
    // Nobody can say now: the server asks again when it is there.
    if (rights === undefined) return
    if (rights === null) {
      session.link?.refuse()
      return end(session)
    }
    session.link?.setRights(rights)
    for (const filter of session.subscriptions.keys())
      if (!maySubscribe(rights, filter)) house.unsubscribe(session, filter)
  }

  return {
    /** Serves a client on this connection. */
    accept(stream: Duplex): void {
      const connection = new Connection(stream, house)
      connections.add(connection)
      stream.once('close', () => connections.delete(connection))
    },

    /** Asks the rights of these users anew; of all without names. */
    async recheck(usernames?: readonly string[]): Promise<void> {
      const chosen = usernames && new Set(usernames)
      await Promise.all([...sessions.values()].filter(({ username }) => chosen?.has(username) ?? true).map(recheck))
    },

    /** Ends the connections and sessions of these users. */
    drop(usernames: readonly string[]): void {
      const chosen = new Set(usernames)
      for (const session of sessions.values())
        if (chosen.has(session.username)) {
          session.link?.refuse()
          end(session)
        }
    },

    clients: () => connections.size,

    close(): void {
      clearInterval(looking)
      for (const connection of connections) connection.shutDown()
    },
  }
}

export type House = {
  authority: Authority
  expiryMax: number
  open(packet: IConnectPacket): { session: Session; isPresent: boolean }
  end(session: Session): void
  publish(message: Message, from: Session | undefined): number
  subscribe(session: Session, filter: string, asked: Subscription): void
  unsubscribe(session: Session, filter: string): boolean
}
