import { onTestFinished } from 'vitest'
import { type TestUser, until } from './build.ts'
import type { testClock } from './request.ts'
import { instanceCalls, type Workshop } from './instances.calls.ts'
import { startServer } from './server.ts'

/** Flows that act only when they are asked. */
const flows = [{ id: 'tab', type: 'tab', label: 'Other' }]
/** Flows that act by themselves. */
const acting = [
  { id: 'tab', type: 'tab', label: 'Other' },
  { id: 'broker', type: 'mqtt-broker' },
  { id: 'in', z: 'tab', type: 'mqtt in', name: 'orders', broker: 'broker' },
]

/** Has a snapshot with other flows put into a running instance. */
export async function push(person: TestUser, id: string): Promise<string> {
  const params = { instanceId: id }
  const { id: snapshot } = await person.client.call('snapshot.create', { params, body: { name: 'Other', flows } })
  await person.client.call('deployment.rollback', { params, body: { snapshot } })
  return snapshot
}

/** In how many nodes an instance is not as its snapshot. */
export const differs = async (person: TestUser, instanceId: string, snapshotId: string) =>
  (await person.client.call('snapshot.changes', { params: { instanceId, snapshotId }, query: {} })).nodes.length

/** Common steps of tests about new contents for instances that serve. Each test begins a platform of its own, in `at`. */
export function candidates() {
  const at = {} as Workshop
  const calls = instanceCalls(() => at)
  const { script, running, settled, read, raw, visit } = calls

  /** Has other flows put into an instance; `way`: what it is set to. */
  async function deploy(id: string, given: object[], way?: 'beside' | 'held' | 'stop-first') {
    const params = { instanceId: id }
    if (way) await at.owner.client.call('instance.update', { params, body: { takeover: way } })
    const { status, text } = await raw('POST', `/${id}/import`, { flows: JSON.stringify(given) })
    if (status !== 200) throw new Error(`The flows were not taken: ${status} ${text}`)
    const [job] = await settled(id)
    const { deployments } = await at.owner.client.call('deployment.list', { params, query: {} })
    return { job, deployment: deployments[0]! }
  }

  return {
    ...calls,
    at,
    flows,
    acting,
    deploy,

    /** A platform on which new contents must stay up for so long. */
    async begin(steadySeconds: number, clock?: ReturnType<typeof testClock>): Promise<void> {
      at.server = await startServer({ config: { steadySeconds }, ...(clock ? { clock } : {}) })
      onTestFinished(() => at.server.close())
      const { owner, team } = await at.server.build.platform()
      at.owner = owner
      at.application = await at.server.build.application(owner, team)
    },

    /** An instance of two processes, both of them serving. */
    async doubled() {
      const { id } = await running()
      await at.owner.client.call('ha.enable', { params: { instanceId: id }, body: { replicas: 2 } })
      return until(
        async () => read(id),
        ({ meta }) => meta.state === 'running' && meta.replicas?.length === 2,
      )
    },

    /** Has an instance checked, whose new version answers so. */
    async checked(id: string, way: 'held' | 'stop-first', status: number) {
      const healthCheck = { path: '/well', status: 204, seconds: 1 }
      await at.owner.client.call('instance.update', { params: { instanceId: id }, body: { healthCheck } })
      const pair = at.server.driver.pair!
      const { startCandidate } = pair
      pair.startCandidate = async (...given) => {
        await startCandidate(...given)
        script().onRequest(`${id}~1`, (_request, answer) => void answer.writeHead(status).end())
      }
      return deploy(id, flows, way).finally(() => (pair.startCandidate = startCandidate))
    },

    /** Which process answers: the id of the instance, or that of its second process. */
    answeredBy: async (name: string) => (JSON.parse((await visit(name)).text) as { id: string }).id,

    /** All that was asked of its processes since that call. */
    orderOf: (id: string, from: number): string[] =>
      script()
        .calls.slice(from)
        .filter(
          (call) => call.id.startsWith(id) && /^(start|stop|pause|start-held|resume|release)$/.test(call.operation),
        )
        .map((call) => `${call.operation} ${call.id.endsWith('~1') ? 1 : 0}`),
  }
}
