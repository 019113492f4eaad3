import { hostname, networkInterfaces } from 'node:os'
import * as z from 'zod/mini'
import type { DeviceFile, ProvisioningFile } from '../agent.config.ts'
import { AgentError } from '../agent.errors.ts'
import type { Send } from './http.client.ts'

const Enrolled = z.looseObject({
  id: z.string(),
  credentials: z.looseObject({
    token: z.string(),
    credentialSecret: z.string(),
    broker: z.optional(z.looseObject({ url: z.string(), username: z.string(), password: z.string() })),
  }),
})

/** Fetches credentials with a one-time code. @throws AgentError code_used, platform_unreachable, platform_failing. */
export async function enrolByCode(send: Send, forgeURL: string, code: string): Promise<DeviceFile> {
  return enrol(send, forgeURL, {
    token: Buffer.from(code).toString('base64'),
    body: { setup: true, agentHost: hostname() },
    refused: new AgentError(
      'code_used',
      'The one-time code is wrong, used or older than 24 hours. Make a new one with Regenerate Credentials.',
    ),
  })
}

/** Registers a new device with a provisioning token. @throws AgentError token_refused, platform_unreachable, platform_failing. */
export async function enrolByToken(send: Send, file: ProvisioningFile): Promise<DeviceFile> {
  const { forgeURL, provisioningToken: token, provisioningTeam: team, provisioningName = 'FlowForge' } = file
  const body = { name: `${hostname()} (${macAddress()})`, type: `Auto Provisioned [${provisioningName}]`, team }
  const refused = new AgentError('token_refused', 'The provisioning token is wrong, revoked or expired.')
  return enrol(send, forgeURL, { token, body, refused })
}

async function enrol(
  send: Send,
  forgeURL: string,
  { token, body, refused }: { token: string; body: object; refused: AgentError },
): Promise<DeviceFile> {
  const { status, text } = await send({ method: 'POST', url: `${forgeURL}/api/v1/devices`, token, body })
  if (status === 401) throw refused
  if (status !== 200)
    throw new AgentError('platform_failing', `The platform answered with ${status}: ${sentenceIn(text)}`)
  const { id, credentials } = Enrolled.parse(JSON.parse(text))
  const { broker, token: own, credentialSecret } = credentials
  return {
    deviceId: id,
    token: own,
    credentialSecret,
    forgeURL,
    ...(broker && { brokerURL: broker.url, brokerUsername: broker.username, brokerPassword: broker.password }),
  }
}

function sentenceIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    return typeof error === 'string' ? error : 'no reason'
  } catch {
    return 'no reason'
  }
}

/** The address of the first network interface that leads outwards. */
function macAddress(): string {
  const found = Object.values(networkInterfaces()).flatMap((one) => one ?? [])
  return found.find(({ internal, mac }) => !internal && mac !== '00:00:00:00:00:00')?.mac ?? 'no network'
}
