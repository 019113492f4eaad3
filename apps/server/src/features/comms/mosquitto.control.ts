import type { MqttClient } from 'mqtt'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { newId } from '../../platform/ids.ts'
import { platformUser } from './comms.rights.ts'
import { loadMqtt } from './mqtt.ts'

/** A command to the dynamic security plugin. */
export type Command = { command: string } & Record<string, unknown>

const topic = '$CONTROL/dynamic-security/v1'
/** Mosquitto writes its whole file for each command, and does nothing else meanwhile. */
const answerMs = 60_000
const againMs = 1_000

const Answer = z.object({
  responses: z.array(
    z.object({
      command: z.string(),
      error: z.optional(z.string()),
      correlationData: z.optional(z.string()),
      data: z.optional(z.record(z.string(), z.unknown())),
    }),
  ),
})

type Responses = z.infer<typeof Answer>['responses']

/** Mosquitto did not run a command. */
export class CommandRefused extends Error {}

export interface ControlOptions {
  url: string
  password: string
  log: Logger
  /** Told whenever there is a connection. */
  onConnect(): void
}

export type MosquittoControl = ReturnType<typeof createMosquittoControl>

/** A connection to Mosquitto as the administrator of its dynamic security. */
export function createMosquittoControl({ url, password, log, onConnect }: ControlOptions) {
  let client: MqttClient | undefined
  let waiting: { correlation: string; resolve(responses: Responses): void; reject(error: Error): void } | undefined
  const fail = (reason: string) => {
    waiting?.reject(new Error(reason))
    waiting = undefined
  }
  /** Version 2.0 sends each answer to all administrators, so those to `mosquitto_ctrl` come here too. */
  function hear(text: string): void {
    const { responses } = Answer.parse(JSON.parse(text))
    if (!waiting || responses.every(({ correlationData }) => correlationData !== waiting?.correlation)) return
    waiting.resolve(responses)
    waiting = undefined
  }

  return {
    /** Connects, and again whenever the connection is lost. */
    async start(): Promise<void> {
      const { connect } = await loadMqtt()
      const made = connect(url, {
        clientId: `${platformUser}:${newId()}`,
        username: platformUser,
        password,
        protocolVersion: 5,
        reconnectPeriod: againMs,
        resubscribe: false,
      })
      client = made
      made.on('message', (_topic, payload) => {
        try {
          hear(payload.toString())
        } catch (error) {
          fail(`Mosquitto gave an answer that is none: ${String(error)}`)
        }
      })
      made.on('close', () => fail('the connection to Mosquitto ended'))
      // The other connection of the platform to it says why.
      made.on('error', () => {})
      made.on('connect', () => {
        made.subscribeAsync(`${topic}/response`, { qos: 1 }).then(onConnect, (error: unknown) => {
          log.error({ err: error }, 'Mosquitto refuses forge_platform as the administrator of its dynamic security')
        })
      })
    },

    /**
     * Runs commands, one call at a time, and returns the data of each.
     * @throws CommandRefused for the first that Mosquitto refuses, while those behind it may have run; Error without an answer.
     */
    async run(...commands: Command[]): Promise<(Record<string, unknown> | undefined)[]> {
      const to = client
      if (!to?.connected) throw new Error('there is no connection to Mosquitto')
      const { promise, resolve, reject } = Promise.withResolvers<Responses>()
      const correlation = newId()
      waiting = { correlation, resolve, reject }
      const timer = setTimeout(() => fail('Mosquitto does not answer'), answerMs)
      const correlated = commands.map((command) => ({ ...command, correlationData: correlation }))
      to.publish(topic, JSON.stringify({ commands: correlated }), { qos: 1 }, (error) => error && fail(error.message))
      const responses = await promise.finally(() => clearTimeout(timer))
      const wrong = responses.find(({ error }) => error !== undefined)
      if (wrong) throw new CommandRefused(`Mosquitto refused ${wrong.command}: ${wrong.error}`)
      return responses.map(({ data }) => data)
    },

    isConnected: () => client?.connected === true,

    async stop(): Promise<void> {
      await client?.endAsync(true)
      client = undefined
      fail('the server stops')
    },
  }
}
