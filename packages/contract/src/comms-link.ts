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

export type BrokerMessage =
  | { ready: BrokerState }
  /** With a password: may this client connect? Without: the rights of a client that is connected. */
  | { ask: number; username: string; clientId: string; password?: string }

export interface BrokerState {
  pid: number
  clients: number
  /** Names its program and its settings: a server with others starts another broker. */
  build: string
}

/** The process of the broker gets this as JSON on its standard input. */
export interface BrokerSpec {
  build: string
  /** The server's proof on the control socket. */
  token: string
  controlSocket: string
  /** Takes WebSockets, which the server passes on. */
  webSocket: string
  /** MQTT over TCP, for instances on this machine. */
  local: { host: string; port: number }
  /** MQTT over TCP for everybody. */
  tcp?: { host: string; port: number }
}
