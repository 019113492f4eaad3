import { until } from '@app/server/testing'
import { join } from 'node:path'
import { type Context, withServer } from './measure.ts'
import { recordOf } from './processes.ts'
import type { Server } from './server.ts'

/** Starts the first `count` prepared instances, waits until each runs, gives them to `work` and suspends them again. */
export async function withInstances<T>(
  context: Context,
  count: number,
  work: (server: Server, cookie: string) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const chosen = context.data.instances.slice(0, count)
  return withServer(
    context,
    async (server, cookie) => {
      const client = server.client(cookie)
      const all = (action: 'start' | 'suspend') =>
        Promise.all(chosen.map(({ id }) => client.call(`instance.${action}`, { params: { instanceId: id } })))
      const settled = (state: string) =>
        until(
          () => Promise.all(chosen.map(({ id }) => client.call('instance.get', { params: { instanceId: id } }))),
          (answers) => answers.every(({ meta }) => meta.state === state),
          300_000,
        )
      try {
        await all('start')
        await settled('running')
        return await work(server, cookie)
      } finally {
        // After a failure something may be under way, and its refusal would be told in the place of the failure.
        await until(
          () => Promise.all(chosen.map(({ id }) => client.call('instance.jobs', { params: { instanceId: id } }))),
          (answers) => answers.every(({ jobs }) => jobs.every(({ endedAt }) => endedAt !== undefined)),
          300_000,
        )
        await all('suspend')
        await settled('suspended')
      }
    },
    env,
  )
}

/** The socket on which an instance itself answers; its process must have been started. */
export function socketOf(home: string, id: string): string {
  return join(recordOf(home, id)!.socketDir, 'http.sock')
}
