import { writeWhole } from '@app/drivers/local'
import { readFileSync } from 'node:fs'
import { parse, stringify } from 'yaml'
import * as z from 'zod/mini'
import { AgentError } from './agent.errors.ts'

const text = z.string().check(z.minLength(1, 'must not be empty'))
const Url = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
const BrokerUrl = z.url({ protocol: /^(wss?|mqtts?)$/, error: 'must be a wss://, ws://, mqtts:// or mqtt:// address' })

/** Settings of this machine, in every file. */
const local = {
  /** Port on which flows answer HTTP. */
  port: z.optional(z.int().check(z.minimum(1), z.maximum(65_535))),
  /** Memory of Node-RED in MiB. */
  memory: z.optional(z.int().check(z.minimum(64))),
  /** Seconds between two check-ins. */
  interval: z.optional(z.number().check(z.minimum(0.1), z.maximum(3_600))),
  /** Address of an HTTP proxy; absent: HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment. */
  proxy: z.optional(Url),
  /** npm registry for targets, and for modules that Node-RED installs itself; absent: that of npm on this machine. */
  registry: z.optional(Url),
  /** PEM file with certificate authorities to trust besides the public ones. */
  ca: z.optional(text),
}

const DeviceFile = z.looseObject({
  deviceId: text,
  token: text,
  credentialSecret: text,
  forgeURL: Url,
  /** All three absent without a broker: the agent then calls over HTTP. */
  brokerURL: z.optional(BrokerUrl),
  brokerUsername: z.optional(text),
  brokerPassword: z.optional(text),
  ...local,
})
const ProvisioningFile = z.looseObject({
  provisioningName: z.optional(z.string()),
  provisioningTeam: text,
  provisioningToken: text,
  forgeURL: Url,
  ...local,
})
export type DeviceFile = z.infer<typeof DeviceFile>
export type ProvisioningFile = z.infer<typeof ProvisioningFile>

/**
 * Reads the file of a device, in the form that agents of the installed base use. A file with a provisioning token is
 * one of a device that is not registered yet.
 * @throws AgentError config_missing, config_invalid naming the field.
 */
export function readConfig(path: string): DeviceFile | ProvisioningFile {
  const found = document(path)
  const isNew = typeof found.provisioningToken === 'string' && found.token === undefined
  const parsed = (isNew ? ProvisioningFile : DeviceFile).safeParse(found)
  if (parsed.success) return { ...parsed.data, forgeURL: parsed.data.forgeURL.replace(/\/+$/, '') }
  const [issue] = parsed.error.issues
  const field = issue?.path.join('.') ?? ''
  const missing = field !== '' && !(field in found)
  throw new AgentError(
    'config_invalid',
    missing ? `${path}: ${field} is missing` : `${path}: ${field} ${issue?.message ?? 'is not valid'}`,
  )
}

/** Saves new credentials, with the settings of this machine that were in the file before. */
export function saveCredentials(path: string, credentials: DeviceFile): void {
  let before: Record<string, unknown> = {}
  try {
    before = document(path)
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== 'config_missing') throw error
  }
  const kept = Object.fromEntries(Object.entries(before).filter(([name]) => name in local))
  writeWhole(path, stringify({ ...kept, ...credentials }))
}

export const isRegistered = (config: DeviceFile | ProvisioningFile): config is DeviceFile => 'token' in config

function document(path: string): Record<string, unknown> {
  let read: string
  try {
    read = readFileSync(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`
    throw new AgentError(
      'config_missing',
      `${path} ${why}. Download it from the page of the device, or use a one-time code: flowforge-agent --otc <code> --forge-url <address>`,
      { cause },
    )
  }
  try {
    const found: unknown = parse(read)
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Record<string, unknown>
  } catch (cause) {
    throw new AgentError('config_invalid', `${path} is not valid YAML: ${(cause as Error).message.split('\n', 1)[0]}`, {
      cause,
    })
  }
  throw new AgentError('config_invalid', `${path} is not the file of a device`)
}
