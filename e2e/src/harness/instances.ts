import { request, type RequestOptions } from 'node:http'
import { join } from 'node:path'
import { until } from './outside.ts'
import type { Instance } from '@app/contract'
import type { Client } from '@app/client'
import { admin, type Platform } from './platform.ts'

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

/** An instance in an application that runs. */
export async function startInstance(client: Client, name: string, applicationId: string): Promise<Instance> {
  const { id } = await createInstance(client, { name, applicationId })
  return untilState(client, id, 'running')
}

/** Brings flows to an instance, with their credentials in the clear, and waits until it runs them. */
export async function bringFlows(client: Client, id: string, flows: object[], credentials?: object): Promise<Instance> {
  const body = {
    flows: JSON.stringify(flows),
    ...(credentials ? { credentials: JSON.stringify(credentials) } : {}),
  }
  await client.call('instance.import', { params: { instanceId: id }, body })
  return untilState(client, id, 'running')
}

/** A team with one application, made by this person. */
export async function createTeam(client: Client, name: string) {
  const { types } = await client.call('team.types', { query: {} })
  const team = await client.call('team.create', { body: { name, type: types[0]?.id ?? '' } })
  const application = await client.call('application.create', { body: { name: 'Oven line', teamId: team.id } })
  return { team, application }
}

/** bob, who is no administrator and owns a team with one application. Once for each platform. */
export async function createOwner(platform: Platform, teamName = 'Example Bakery') {
  platform.people.add('bob')
  const owner = await platform.people.signIn('bob', admin.password)
  return { owner, ...(await createTeam(owner.client, teamName)) }
}

/** The same with an instance in the application, which runs. */
export async function createOwnerOf(instanceName: string, platform: Platform, teamName?: string) {
  const made = await createOwner(platform, teamName)
  return { ...made, instance: await startInstance(made.owner.client, instanceName, made.application.id) }
}
