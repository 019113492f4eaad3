import { fileURLToPath } from 'node:url'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import type { Config } from '../src/config.ts'

/** The embedded broker, run from its sources. */
export const embeddedBroker: NonNullable<Config['broker']> = {
  hooksFrom: ['loopback'],
  entry: fileURLToPath(new URL('../../broker/src/main.ts', import.meta.url)),
}

export interface BrokerClient {
  client: MqttClient
  heard: { topic: string; body: unknown }[]
  /** Subscribes; false when that is refused. */
  subscribe(topic: string): Promise<boolean>
  /** Publishes; false when that is refused. */
  publish(topic: string, body: unknown): Promise<boolean>
  end(): Promise<void>
}

/** A client of the broker. @throws Error when the broker refuses it. */
export async function connectBroker(
  url: string,
  { username, password }: { username: string; password: string },
  options: IClientOptions = {},
): Promise<BrokerClient> {
  const given = { clientId: username, username, password, protocolVersion: 5 as const, reconnectPeriod: 0, ...options }
  const client = mqtt.connect(url, given)
  const heard: BrokerClient['heard'] = []
  client.on('message', (topic, payload) => heard.push({ topic, body: JSON.parse(payload.toString()) as unknown }))
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('error', reject)
    client.once('close', () => reject(new Error('closed')))
  }).catch(async (error: unknown) => {
    await client.endAsync(true)
    throw error
  })
  client.on('error', () => {})
  const succeeds = (work: Promise<unknown>) =>
    work.then(
      () => true,
      () => false,
    )
  return {
    client,
    heard,
    subscribe: (topic) => succeeds(client.subscribeAsync(topic, { qos: 1 })),
    publish: (topic, body) => succeeds(client.publishAsync(topic, JSON.stringify(body), { qos: 1 })),
    end: async () => client.endAsync(true),
  }
}
