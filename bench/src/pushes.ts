import type { Client } from '@app/client'
import type { Deployment } from '@app/contract'
import { pushOptions } from '@app/contract/constants'
import { until } from '@app/server/testing'

export type Nodes = Record<string, unknown>[]
type Named = { id: string; name: string }

/** Asks for a deployment of these nodes; resolves when it is accepted. */
export type Way = (nodes: Nodes) => Promise<unknown>

/** Pushes as people do: from a stage that does not run to the next, with what the dialog has shown before. */
export async function pipeline(client: Client, applicationId: string, source: Named, target: Named): Promise<Way> {
  const name = `${source.name} to ${target.name}`
  const { id } = await client.call('pipeline.create', { params: { applicationId }, body: { name } })
  const params = { pipelineId: id }
  const add = ({ id: instanceId, name }: Named) =>
    client.call('pipeline.addStage', { params, body: { name, instanceId } })
  const { id: stageId } = await add(source)
  await add(target)
  return async (nodes) => {
    await fill(client, source.id, nodes)
    const { seen } = await client.call('pipeline.changes', { params: { ...params, stageId } })
    const sourceProject = { id: source.id, options: pushOptions, seen }
    await client.call('instance.update', { params: { instanceId: target.id }, body: { sourceProject } })
  }
}

/** Imports these nodes into an instance, and waits for the end of that. */
export async function fill(client: Client, instanceId: string, nodes: Nodes): Promise<void> {
  await client.call('instance.import', { params: { instanceId }, body: { flows: JSON.stringify(nodes) } })
  await deployed(client, instanceId, 'done')
}

/** Resolves with the last deployment when it has ended. @throws Error when it has not ended as it should. */
export async function deployed(client: Client, instanceId: string, outcome: 'done' | 'failed'): Promise<Deployment> {
  const { deployments } = await until(
    () => client.call('deployment.list', { params: { instanceId }, query: { limit: 1 } }),
    ({ deployments: [last] }) => last?.endedAt !== undefined,
    120_000,
  )
  const last = deployments[0]!
  if (last.state !== outcome) throw new Error(`The ${last.kind} was ${last.state}: ${last.reason}`)
  return last
}
