import mqtt from 'mqtt'
import { writeToStream } from 'mqtt-packet'
import * as z from 'zod/mini'
import type { DeviceFile } from '../agent.config.ts'
import { AgentError } from '../agent.errors.ts'
import type { Log } from '../agent.log.ts'
import type { Line } from '../logs/line.ts'
import { wayOut } from './http.client.ts'
import { Wanted } from './platform.link.ts'

const Command = z.looseObject({ command: z.string() })
export type Command = z.infer<typeof Command>

/** Pause before the next attempt to connect. It doubles with each failure. */
const againMs = { first: 1_000, most: 30_000 }
/** A part more or less, so that devices that lost the broker together do not come back together. */
const jitter = 0.5
const connectMs = 20_000
/** A connection that ends sooner was no success: another machine may use this identity, and take it over. */
const steadyMs = 60_000
const answerMs = 10_000
const keepaliveSeconds = 30

// It would keep the bytes of each number up to 65535, 8 MB.
writeToStream.cacheNumbers = false

export interface BrokerLinkOptions {
  config: DeviceFile
  log: Log
  /** Told of each command but the answers to reports. */
  onCommand(command: Command): void
  onConnect(): void
  onClose(): void
}

export type BrokerLink = ReturnType<typeof openBrokerLink>
export interface State extends Pick<Wanted, 'project' | 'snapshot' | 'settings' | 'mode'> {
  memoryLimit: { set: number | null }
}

/**
 * The connection of a device to the broker of the platform, kept open and opened again whenever it is lost. Undefined
 * when the file of the device names no broker. @throws AgentError ca_unreadable.
 */
export function openBrokerLink({ config, log, onCommand, onConnect, onClose }: BrokerLinkOptions) {
  const { brokerURL: url, brokerUsername: username, brokerPassword: password } = config
  if (url === undefined || username === undefined || password === undefined) return undefined
  const teamId = username.split(':')[1]
  const topic = `ff/v1/${teamId}/d/${config.deviceId}`
  const { ca, agentFor } = wayOut(config)
  const agent = url.startsWith('ws') ? agentFor(url) : undefined
  let pauseMs = againMs.first
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let readySince: number | undefined
  let isTold = false
  let answered: ((wanted: Wanted) => void) | undefined

  const client = mqtt.connect(url, {
    clientId: username,
    username,
    password,
    protocolVersion: 4,
    clean: true,
    keepalive: keepaliveSeconds,
    connectTimeout: connectMs,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    ...(ca && { ca }),
    wsOptions: { ...(agent && { agent }), ...(ca && { ca }) },
  })

  /** Says a trouble once, not at each attempt. */
  function tell(message: string): void {
    if (!isTold) log.warn(`${new URL(url!).host}: ${message}. Calling over HTTP meanwhile.`)
    isTold = true
  }

  client.on('connect', () => {
    client.subscribe(`${topic}/command`, { qos: 1 }, (error) => {
      if (error) return void client.end(true, () => tell('The broker refuses the commands of this device'))
      readySince = performance.now()
      isTold = false
      log.info('Connected to the broker')
      onConnect()
    })
  })
  client.on('error', (error) => tell(`The broker cannot be reached: ${error.message || 'no connection'}`))
  client.on('close', () => {
    if (readySince !== undefined) tell('The connection to the broker ended')
    if (readySince !== undefined && performance.now() - readySince > steadyMs) pauseMs = againMs.first
    readySince = undefined
    onClose()
    clearTimeout(timer)
    if (isOver) return
    timer = setTimeout(() => client.reconnect(), pauseMs * (1 - jitter + 2 * jitter * Math.random()))
    pauseMs = Math.min(pauseMs * 2, againMs.most)
  })
  client.on('message', (_topic, payload) => {
    const command = Command.safeParse(jsonOf(payload)).data
    if (!command) return
    const wanted = command.command === 'update' ? Wanted.safeParse(command).data : undefined
    if (wanted && answered) answered(wanted)
    else onCommand(command)
  })

  async function say(what: string, body: unknown): Promise<void> {
    if (readySince === undefined) throw new AgentError('broker_unreachable', 'There is no connection to the broker')
    await client.publishAsync(`${topic}/${what}`, JSON.stringify(body), { qos: 1 })
  }

  return {
    isConnected: () => readySince !== undefined,

    /**
     * Reports the state. Returns the desired state where it is another one.
     * @throws Error when the platform does not answer.
     */
    async report(body: State): Promise<Wanted | undefined> {
      const { promise, resolve, reject } = Promise.withResolvers<Wanted>()
      const late = setTimeout(
        () => reject(new AgentError('platform_unreachable', 'The platform does not answer over the broker')),
        answerMs,
      )
      const cut = () => reject(new AgentError('broker_unreachable', 'The connection to the broker ended'))
      client.once('close', cut)
      answered = resolve
      try {
        const [wanted] = await Promise.all([promise, say('status', { ...body, asks: true })])
        const reported = { ...body, memory: body.memoryLimit.set }
        // Fields that the platform leaves out are as they shall be.
        const said = { mode: reported.mode, memory: reported.memory, ...wanted }
        const isSame = (['project', 'snapshot', 'settings', 'mode', 'memory'] as const).every(
          (key) => said[key] === reported[key],
        )
        return isSame && wanted.agentOrder === undefined ? undefined : wanted
      } finally {
        answered = undefined
        clearTimeout(late)
        client.off('close', cut)
      }
    },

    /** Says that the device is there, and too busy for a report. Nothing without a connection. */
    async beat(): Promise<void> {
      await say('status', null).catch(() => undefined)
    },

    /** Sends lines of the log. @throws Error without a connection. */
    log: async (lines: readonly Line[]): Promise<void> => say('logs', lines),

    /** Answers a command. @throws Error without a connection. */
    reply: async ({ command, correlationData }: Command, payload: object): Promise<void> =>
      say('response', { teamId, deviceId: config.deviceId, command, correlationData, payload }),

    async close(): Promise<void> {
      isOver = true
      clearTimeout(timer)
      await client.endAsync(true)
    },
  }
}

function jsonOf(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString())
  } catch {
    return undefined
  }
}
