import { request, type RequestOptions } from 'node:http'
import { join } from 'node:path'
import { until } from './outside.ts'
import type { Instance } from '@app/contract'
import type { Client } from '@app/client'
import type { Platform } from './platform.ts'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Asks an instance on its own host name, as anybody on the network could. */
export function ask(platform: Platform, instance: string, path = '/', headers = {}): Promise<Answer> {
  return get({ host: '127.0.0.1', port: platform.port, path, headers: { ...headers, host: platform.hostOf(instance) } })
}

/** Asks the process of an instance itself, past the server. */
export function askProcess(platform: Platform, id: string, path: string): Promise<Answer> {
  return get({ socketPath: join(platform.home, 'instances', id, 'run', 'http.sock'), path })
}

function get(options: RequestOptions): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const call = request({ ...options, agent: false }, (reply) => {
      let body = ''
      reply.setEncoding('utf8').on('data', (part: string) => (body += part))
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body }))
    })
    call.setTimeout(10_000, () => call.destroy(new Error('No answer of the instance within 10 seconds')))
    call.on('error', reject).end()
  })
}

/**
 * Waits until the platform says that the instance is in this state.
 * @throws Error with what its last operation said when that failed meanwhile.
 */
export async function untilState(client: Client, id: string, state: string, deadlineMs = 45_000): Promise<Instance> {
  const params = { instanceId: id }
  return until(
    async () => {
      const instance = await client.call('instance.get', { params })
      const { jobs } = await client.call('instance.jobs', { params })
      if (jobs[0]?.state === 'failed' && instance.meta.state !== state)
        throw new Error(`${instance.name} is ${instance.meta.state}: ${jobs[0].error}`)
      return instance
    },
    ({ meta }) => meta.state === state,
    deadlineMs,
  )
}

/** Asks for an instance in an application; the first stack whose label contains `stack`, or the default. */
export async function createInstance(
  client: Client,
  wish: { name: string; applicationId: string; stack?: string },
): Promise<Instance> {
  const [types, stacks, templates] = await Promise.all([
    client.call('instanceType.list', { query: {} }),
    client.call('stack.list', { query: {} }),
    client.call('template.list', { query: {} }),
  ])
  const projectType = types.types[0]?.id ?? ''
  const stack = wish.stack
    ? stacks.stacks.find((one) => one.label.includes(wish.stack!))?.id
    : types.types[0]?.defaultStack
  return client.call('instance.create', {
    body: {
      name: wish.name,
      applicationId: wish.applicationId,
      projectType,
      stack: stack ?? '',
      template: templates.templates[0]?.id ?? '',
    },
  })
}

/** A team with one application, made by this person. */
export async function createTeam(client: Client, name: string) {
  const { types } = await client.call('team.types', { query: {} })
  const team = await client.call('team.create', { body: { name, type: types[0]?.id ?? '' } })
  const application = await client.call('application.create', { body: { name: 'Oven line', teamId: team.id } })
  return { team, application }
}
