import * as z from 'zod/mini'
import type { TopicRights } from './comms-topics.ts'

/**
 * Messages between the server and the process of the embedded broker, one JSON text a line, over a Unix socket in
 * a private folder. The server says the token first. The broker asks; while no server is there it refuses new clients as
 * a broker that is busy does, and serves those that it has.
 */
export type BrokerCommand =
  | { hello: string }
  | { answer: number; rights: TopicRights | null }
  /** The rights of these users may have changed. */
  | { recheck: readonly string[] }
  /** These users have other passwords now: their connections end. */
  | { drop: readonly string[] }
  /** Any right may have changed, as after a time in which the server heard nothing. */
  | { recheckAll: true }
  | { end: true }

/** Names its program and its settings in `build`: a server with others starts another broker. */
const BrokerState = z.object({ pid: z.number(), clients: z.number(), build: z.string() })
export type BrokerState = z.infer<typeof BrokerState>

export const BrokerMessage = z.union([
  z.object({ ready: BrokerState }),
  /** With a password: may this client connect? Without: the rights of a client that is connected. */
  z.object({
    ask: z.number(),
    username: z.string(),
    clientId: z.string(),
    password: z.exactOptional(z.string()),
  }),
])
export type BrokerMessage = z.infer<typeof BrokerMessage>

const Listens = z.object({ host: z.string(), port: z.number() })

/** The process of the broker gets this as JSON on its standard input; the server keeps it as its record. */
export const BrokerSpec = z.object({
  build: z.string(),
  /** The server's proof on the control socket. */
  token: z.string(),
  controlSocket: z.string(),
  /** Takes WebSockets, which the server passes on. */
  webSocket: z.string(),
  /** MQTT over TCP, for instances on this machine. */
  local: Listens,
  /** MQTT over TCP for everybody. */
  tcp: z.exactOptional(Listens),
})
export type BrokerSpec = z.infer<typeof BrokerSpec>
