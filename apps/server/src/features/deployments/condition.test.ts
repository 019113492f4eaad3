import type { FlowFault } from '@app/contract'
import { expect, test } from 'vitest'
import { openWorkshop } from '../../../testing/index.ts'

const { owner, running, raw, script, settled, act, inState } = await openWorkshop()

const fault = (id: string): FlowFault => ({
  kind: 'error',
  node: { id, type: 'function' },
  message: 'no flour',
  count: 3,
  at: 1,
})
const restart = async (id: string) => {
  await act('restart', id)
  await settled(id)
}

test.each<[string, (id: string) => Promise<unknown>, string]>([
  ['runs', async () => undefined, 'was running well'],
  [
    'has two nodes with errors',
    async (id) => {
      script().haveFlows(id, { faults: [fault('a'), fault('b')], faultCount: 6 })
      await restart(id)
    },
    'was running with 2 errors',
  ],
  [
    'runs without its flows',
    async (id) => {
      script().haveFlows(id, { state: 'stopped', missingTypes: ['modbus-read'] })
      await restart(id)
    },
    'its flows did not run',
  ],
  [
    'is in safe mode',
    async (id) => {
      script().setStatus(id, { state: 'safe' })
      await inState(id, 'safe')
    },
    'was in safe mode',
  ],
  [
    'has crashed',
    async (id) => {
      script().crash(id)
      await inState(id, 'crashed')
    },
    'had crashed',
  ],
  ['is suspended', async (id) => act('suspend', id).then(() => settled(id)), 'was suspended'],
])('the snapshot before a push to an instance that %s says so in its name', async (_, bring, words) => {
  const [source, target] = [await running(), await running()]
  await bring(target.id)
  // The pushed flows do well.
  script().haveFlows(target.id, {})
  const options = { flows: true, credentials: true, nodes: true, template: false, settings: false, envVars: 'keys' }
  expect((await raw('PUT', `/${target.id}`, { sourceProject: { id: source.id, options } })).status).toBe(200)
  await settled(target.id)
  const { snapshots } = await owner.client.call('snapshot.list', { params: { instanceId: target.id }, query: {} })
  const name = new RegExp(`^Before push from “${source.name}”, \\d{1,2} [A-Z][a-z]{2,3}, \\d{2}:\\d{2} UTC, ${words}$`)
  expect(snapshots.map((one) => one.name)).toEqual([expect.stringMatching(name)])
})
