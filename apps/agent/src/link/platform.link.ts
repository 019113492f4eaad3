import { AgentOrder } from '@app/contract/device-agent'
import { DeviceTerms } from '@app/contract/device-deployment'
import type { DeviceSnapshot } from '@app/contract/device-link'
import * as z from 'zod/mini'
import { setTimeout as delay } from 'node:timers/promises'
import { AgentError } from '../agent.errors.ts'
import type { Answer, Send, Sending } from './http.client.ts'

const anyObject = z.looseObject({})
export const Wanted = z.looseObject({
  project: z.nullable(z.string()),
  snapshot: z.nullable(z.string()),
  settings: z.nullable(z.string()),
  /** Absent from a platform of an earlier version. */
  mode: z.optional(z.enum(['autonomous', 'developer'])),
  /** Until the platform knows how it ended. */
  agentOrder: z.optional(AgentOrder),
  /** Memory limit of Node-RED in MiB; null: that of the file of the device. Absent as the mode is. */
  memory: z.optional(z.nullable(z.number())),
})
/** The desired state of this device. */
export type Wanted = z.infer<typeof Wanted>

const Snapshot = z.looseObject({
  id: z.string(),
  name: z.string(),
  flows: z.array(anyObject),
  credentials: z.optional(anyObject),
  settings: z.optional(anyObject),
  env: z.optional(z.record(z.string(), z.string())),
  modules: z.optional(z.record(z.string(), z.string())),
})
export type Snapshot = z.infer<typeof Snapshot>
/** Fails to compile when the platform's answer is no snapshot for agents. */
export type Checked = DeviceSnapshot extends Snapshot ? true : never

const signIn = z.optional(z.nullable(z.object({ user: z.string(), hash: z.string() })))
const list = z.optional(z.nullable(z.array(z.string())))
/** Null or absent: as the target says. */
const NodeRed = z.looseObject({
  version: z.optional(z.nullable(z.string())),
  allowList: list,
  denyList: list,
  catalogues: list,
  httpAuth: signIn,
  editorAuth: signIn,
})
const Settings = z.looseObject({
  hash: z.string(),
  env: z.optional(z.record(z.string(), z.string())),
  /** Absent from a platform of an earlier version. */
  deployment: z.optional(DeviceTerms),
  nodeRed: z.optional(NodeRed),
  features: z.optional(z.looseObject({ projectComms: z.optional(z.boolean()) })),
})
export type Settings = z.infer<typeof Settings>

/** The calls of a device to its platform over HTTP. */
export interface PlatformLink {
  /** Reports the state. Returns the desired state where it is another one. */
  report(body: object): Promise<Wanted | undefined>
  /** Undefined: the device shall run nothing. */
  snapshot(): Promise<Snapshot | undefined>
  settings(): Promise<Settings>
  /** The instances of the team, as the nodes for messages ask for them. */
  instances(teamId: string): Promise<object>
  /** Passes on an event of Node-RED for the audit log. False: the platform will never take this one. */
  event(report: object): Promise<boolean>
}

/** Pauses before a download is asked for again: one that breaks off would otherwise begin with the next check-in. */
const againMs = [200, 1_000, 3_000]

/** @throws AgentError from each call: platform_unreachable, platform_refused (401, 404), platform_failing. */
export function createPlatformLink(
  send: Send,
  { forgeURL, deviceId, token }: { forgeURL: string; deviceId: string; token: string },
): PlatformLink {
  const live = `/devices/${encodeURIComponent(deviceId)}/live`

  async function ask<T>(schema: z.core.$ZodType<T>, path: string, statuses: number[], body?: object): Promise<T> {
    const method = body === undefined ? 'GET' : 'POST'
    const { status, text } = await reach({ method, url: `${forgeURL}/api/v1${path}`, token, body })
    if (status === 401 || status === 404)
      throw new AgentError(
        'platform_refused',
        `The platform does not know this device or its token (${status}). Its flows go on. Check that the device still exists, or renew its credentials.`,
      )
    if (!statuses.includes(status)) throw new AgentError('platform_failing', `The platform answered with ${status}`)
    const parsed = z.safeParse(schema, jsonOf(text))
    if (!parsed.success) throw new AgentError('platform_failing', `The platform gave no valid answer to ${path}`)
    return parsed.data
  }

  async function reach(sending: Sending): Promise<Answer> {
    for (const pause of sending.method === 'GET' ? againMs : []) {
      try {
        return await send(sending)
      } catch {
        await delay(pause)
      }
    }
    return send(sending)
  }

  return {
    async event(body) {
      const url = `${forgeURL}/logging/device/${encodeURIComponent(deviceId)}/audit`
      const { status } = await send({ method: 'POST', url, token, body })
      if (status === 200) return true
      if (status === 400 || status === 413) return false
      throw new AgentError('platform_failing', `The platform answered with ${status}`)
    },
    async report(body) {
      const answer = await ask(z.union([Wanted, anyObject]), `${live}/state`, [200, 409], body)
      return 'snapshot' in answer ? (answer as Wanted) : undefined
    },
    async snapshot() {
      const answer = await ask(z.union([Snapshot, z.strictObject({})]), `${live}/snapshot`, [200])
      return 'id' in answer ? (answer as Snapshot) : undefined
    },
    settings: async () => ask(Settings, `${live}/settings`, [200]),
    instances: async (teamId) => ask(anyObject, `/teams/${encodeURIComponent(teamId)}/projects?brief=true`, [200]),
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
