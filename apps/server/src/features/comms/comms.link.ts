import type { MqttClient } from 'mqtt'
import type { Logger } from 'pino'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { platformUser } from './comms.rights.ts'
import { loadMqtt } from './mqtt.ts'

/** Topics on which devices speak. */
const deviceTopics = ['status', 'logs', 'response'] as const
export type DeviceTopic = (typeof deviceTopics)[number]

export interface DeviceMessage {
  teamId: string
  deviceId: string
  /** As JSON; undefined for what is none. */
  body: unknown
}

type Listener = (message: DeviceMessage) => void

export interface LinkOptions {
  url(): string | undefined
  password: string
  log: Logger
}

export type BrokerLink = ReturnType<typeof createBrokerLink>

const againMs = 500
/** A broker says so when a message reached nobody. */
const noSubscribers = 0x10

/** The platform as a client of the broker. Only the server that runs the instances connects. */
export function createBrokerLink({ url, password, log }: LinkOptions) {
  const listeners = new Map<DeviceTopic, Listener>()
  /** Messages that the broker has just said reached nobody, which the client library keeps to itself. */
  const unheard = new Set<number>()
  let client: MqttClient | undefined

  async function subscribe(to: MqttClient): Promise<void> {
    const topics = [...listeners.keys()].map((what) => `ff/v1/+/d/+/${what}`)
    if (topics.length > 0) await to.subscribeAsync(topics, { qos: 1 })
  }

  function hear(topic: string, payload: Buffer): void {
    const [, , teamId = '', , deviceId = '', what] = topic.split('/')
    listeners.get(what as DeviceTopic)?.({ teamId, deviceId, body: parsed(payload) })
  }

  return {
    /** Told of what devices say on these topics. Before `start`. */
    on(what: DeviceTopic, listener: Listener): void {
      listeners.set(what, listener)
    },

    /** Connects, and again whenever the connection is lost; what is published meanwhile waits. */
    async start(): Promise<void> {
      const to = url()
      if (to === undefined) return
      const { connect } = await loadMqtt()
      const id = `${platformUser}:${newId()}`
      const made = connect(to, {
        clientId: id,
        username: platformUser,
        password,
        protocolVersion: 5,
        reconnectPeriod: againMs,
        resubscribe: false,
        // A message that is hours old commands something else than it meant to.
        queueQoSZero: false,
      })
      client = made
      made.on('message', hear)
      made.on('packetreceive', (packet) => {
        if (packet.cmd === 'puback' && packet.reasonCode === noSubscribers) unheard.add(packet.messageId!)
      })
      made.on('close', () => unheard.clear())
      // Said once, however often it tries.
      let said: string | undefined
      made.on('error', (error) => {
        if (error.message !== said) log.warn({ err: error }, 'the broker refuses the platform')
        said = error.message
      })
      made.on('connect', () => {
        said = undefined
        subscribe(made).catch((error: unknown) =>
          log.warn({ err: error }, 'the broker refuses the subscription to reports of devices'),
        )
      })
    },

    /** Sends a command as JSON; who is not connected does not get it. */
    publish(topic: string, body: unknown): void {
      client?.publish(topic, JSON.stringify(body), { qos: 0 }, (error) => {
        if (error) log.debug({ err: error }, 'a command did not reach the broker')
      })
    },

    /**
     * Sends a command as JSON. False when nobody is connected who would hear it.
     * @throws Failure device_unreachable without a connection to the broker.
     */
    async deliver(topic: string, body: unknown): Promise<boolean> {
      if (!client?.connected)
        throw fail('device_unreachable', 'The platform has no connection to its broker now. Try again in a moment.')
      const to = client
      return new Promise((resolve, reject) => {
        to.publish(topic, JSON.stringify(body), { qos: 1 }, (error) =>
          error ? reject(error) : resolve(!unheard.delete(id)),
        )
        const id = to.getLastMessageId()
      })
    },

    /** Is it for this server to connect? */
    isStarted: () => client !== undefined,
    isConnected: () => client?.connected === true,

    async stop(): Promise<void> {
      await client?.endAsync(true)
      client = undefined
    },
  }
}

function parsed(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString())
  } catch {
    return undefined
  }
}
