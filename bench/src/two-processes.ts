import type { Client } from '@app/client'
import { until } from '@app/server/testing'

/** Gives a running instance two processes for as long as `work` takes, which begins when both of them run. */
export async function withTwoProcesses(client: Client, instanceId: string, work: () => Promise<void>): Promise<void> {
  const params = { instanceId }
  await client.call('ha.enable', { params, body: { replicas: 2 } })
  try {
    await bothRun(client, instanceId)
    await work()
  } finally {
    await bothRun(client, instanceId)
    await client.call('ha.disable', { params })
    await until(
      () => client.call('instance.get', { params }),
      ({ meta }) => meta.state === 'running' && meta.replicas === undefined,
      120_000,
    )
  }
}

/** Resolves once both processes of an instance run. */
export async function bothRun(client: Client, instanceId: string): Promise<void> {
  await until(
    () => client.call('instance.get', { params: { instanceId } }),
    ({ meta }) =>
      meta.state === 'running' &&
      meta.replicas?.length === 2 &&
      meta.replicas.every(({ state }) => state === 'running'),
    120_000,
  )
}
