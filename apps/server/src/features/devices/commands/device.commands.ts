import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import type { Clock } from '../../../platform/clock.ts'
import type { Vault } from '../../../platform/crypto.ts'
import type { Database } from '../../../platform/db/database.ts'
import { jsonColumn, objectColumn } from '../../../platform/db/json.ts'
import type { Bus, BusEvent } from '../../../platform/events/bus.ts'
import { fail } from '../../../platform/http/failure.ts'
import { newId } from '../../../platform/ids.ts'
import type { BrokerLink, DeviceMessage } from '../../comms/index.ts'
import type { Host } from '../../hosting/index.ts'
import { answerRequest, deleteRequest, findRequest, insertRequest, requestContext } from './requests.store.ts'

export interface DeviceCommandsDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  host: Pick<Host, 'away'>
  vault: Vault
  brokerLink: BrokerLink
}

declare module '../../../platform/events/bus.ts' {
  interface ServerEvents {
    /** A question to a device waits. */
    deviceRequest: { id: string }
    /** Its answer is there. */
    deviceAnswer: { id: string }
  }
}

/** A question that the agent of a device answers. */
export interface Question {
  deviceId: string
  teamId: string
  command: 'action' | 'upload' | 'startEditor'
  payload: object
  /** Timeout of the agent's answer. */
  waitMs: number
}
/** The payload of the answer, or why there is none. */
const Outcome = z.union([
  z.object({ silent: z.enum(['unconnected', 'late']) }),
  z.object({ answer: z.optional(z.unknown()) }),
])
type Outcome = z.infer<typeof Outcome>
const readAnswer = jsonColumn('device_requests.answer', Outcome)
const readPayload = objectColumn('device_requests.payload')

/** Another server may need so much longer: the question and its answer travel by the database. */
const detourMs = 5_000

export type DeviceCommands = ReturnType<typeof createDeviceCommands>

/**
 * Questions to the agents of devices. Only the server that runs the instances is connected to the broker; the others
 * leave their questions in the database for it.
 */
export function createDeviceCommands(deps: DeviceCommandsDependencies) {
  const { database, bus, clock, log, host, vault, brokerLink } = deps
  const asked = new Map<string, Pick<Question, 'deviceId' | 'command'> & { answer(payload: unknown): void }>()
  /** Questions of this server that another one asks. */
  const elsewhere = new Map<string, () => void>()
  let isHost = false
  let unsubscribe = () => {}

  brokerLink.on('response', ({ deviceId, body }: DeviceMessage) => {
    const { correlationData, command, payload } = (body ?? {}) as Record<string, unknown>
    const question = asked.get(String(correlationData))
    if (question?.deviceId === deviceId && question.command === command) question.answer(payload)
  })

  async function askHere({ deviceId, teamId, command, payload, waitMs }: Question): Promise<Outcome> {
    const correlationData = randomUUID()
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const late = setTimeout(resolve, waitMs, { silent: 'late' })
    asked.set(correlationData, { deviceId, command, answer: (answer) => resolve({ answer }) })
    const topic = `ff/v1/${teamId}/d/${deviceId}`
    const now = clock.now()
    try {
      const isHeard = await brokerLink.deliver(`${topic}/command`, {
        command,
        deviceId,
        teamId,
        correlationData,
        createdAt: now,
        expiresAt: now + waitMs,
        responseTopic: `${topic}/response`,
        payload,
      })
      return isHeard ? await promise : { silent: 'unconnected' }
    } finally {
      clearTimeout(late)
      asked.delete(correlationData)
    }
  }

  async function askElsewhere({ deviceId, teamId, command, payload, waitMs }: Question): Promise<Outcome> {
    const away = await host.away()
    if (away !== undefined)
      throw fail('instances_unavailable', `${away}. Nothing was changed; try again once it is started`)
    const id = newId()
    const { promise, resolve } = Promise.withResolvers<void>()
    const late = setTimeout(resolve, waitMs + detourMs)
    elsewhere.set(id, resolve)
    try {
      await database.transact(async (tx) => {
        await insertRequest(tx, {
          id,
          device_id: deviceId,
          team_id: teamId,
          command,
          payload: vault.seal(JSON.stringify(payload), requestContext(id)),
          wait_ms: waitMs,
          answer: null,
          expires_at: clock.now() + waitMs + 2 * detourMs,
        })
        await bus.publish(tx, { type: 'deviceRequest', id })
      })
      await promise
      const row = await findRequest(database.read, id)
      return row?.answer == null ? { silent: 'late' } : readAnswer(row.answer, id)
    } finally {
      clearTimeout(late)
      elsewhere.delete(id)
      await deleteRequest(database.read, id)
    }
  }

  /** Asks for another server. */
  async function askFor(id: string): Promise<void> {
    const row = await findRequest(database.read, id)
    if (!row) return
    const { device_id: deviceId, team_id: teamId, command, payload, wait_ms: waitMs } = row
    const outcome = await askHere({
      deviceId,
      teamId,
      command: command as Question['command'],
      payload: readPayload(vault.open(payload, requestContext(id)), id),
      waitMs,
    })
    await database.transact(async (tx) => {
      await answerRequest(tx, id, JSON.stringify(outcome))
      await bus.publish(tx, { type: 'deviceAnswer', id })
    })
  }

  function hear(event: BusEvent): void {
    if (event.type === 'deviceAnswer') elsewhere.get(event.id)?.()
    if (event.type === 'deviceRequest' && isHost)
      askFor(event.id).catch((error: unknown) => log.warn({ err: error }, 'a device was not asked for another server'))
  }

  return {
    /**
     * The answer of a device's agent.
     * @throws Failure device_unreachable when it is not connected to the broker or does not answer in time;
     * instances_unavailable when no server is connected to the broker.
     */
    async ask(question: Question): Promise<unknown> {
      const outcome = await (isHost ? askHere(question) : askElsewhere(question))
      if (!('silent' in outcome)) return outcome.answer
      throw fail(
        'device_unreachable',
        outcome.silent === 'late'
          ? `The agent of the device did not answer within ${question.waitMs / 1_000} seconds.`
          : 'The agent of the device is not connected to the broker, so it cannot be reached now. Regenerate Credentials gives a device the broker that has none in its file.',
      )
    },
    start(isHere: boolean): void {
      isHost = isHere
      unsubscribe = bus.subscribe(hear)
    },
    stop: (): void => unsubscribe(),
  }
}
