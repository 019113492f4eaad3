import { expect, test } from 'vitest'
import { embeddedBroker } from '../../../../testing/broker.ts'
import { enterEditor } from '../../../../testing/editor.browser.ts'
import { openPlatform, send, startRunningDevice, testClock, until } from '../../../../testing/index.ts'

const clock = testClock()
const { server, owner, team } = await openPlatform({ config: { broker: embeddedBroker }, clock })
const oven = await server.build.runningInstance(owner, await server.build.application(owner, team))

type Running = Awaited<ReturnType<typeof startRunningDevice>>

async function assigned(name: string) {
  const running = await startRunningDevice({ address: server.address, owner, team }, { name })
  await owner.client.call('device.update', {
    params: running.params,
    body: { instance: oven.id, allowStopped: ['nodes'] },
  })
  return running
}
/** The entry of a deploy that the device reports with this proof. */
async function deployed({ device: { id, credentials }, params }: Running, editorToken: string) {
  const headers = { authorization: `Bearer ${credentials.token}` }
  const body = { event: 'flows.set', editorToken }
  expect((await send(server.address, 'POST', `/logging/device/${id}/audit`, { headers, body })).status).toBe(200)
  return (await owner.client.call('device.auditLog', { params, query: { limit: 1 } })).log[0]!
}

test('the proof of who uses the editor of a device counts for that device, and for a day', async () => {
  const [one, other] = [await assigned('Oven 3'), await assigned('Oven 4')]
  const { device, params, agent } = one
  agent.serveEditor(({ headers }) => ({ headers: { 'content-type': 'text/plain' }, body: headers!['x-forge-editor'] }))
  await owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
  await until(
    async () => agent.mode(),
    (mode) => mode === 'developer',
  )
  await owner.client.call('deviceEditor.set', { params, body: { enabled: true } })
  const member = await server.build.member(team, 30)
  const { ask } = await enterEditor(server.address, device.id, member)
  const { text: proof } = await ask('/flows', { 'x-forge-editor': 'forged' })
  expect(proof).not.toContain(member.id)

  const known = { username: member.username, trigger: { id: member.id, type: 'user' }, address: '127.0.0.1' }
  expect(await deployed(one, proof)).toMatchObject(known)
  const unknown = (id: string) => ({ username: null, trigger: { id, type: 'system' } })
  expect(await deployed(other, proof)).toMatchObject(unknown(other.device.id))
  expect(await deployed(one, `${proof}x`)).toMatchObject(unknown(device.id))
  clock.turn(24 * 60 * 60_000)
  expect(await deployed(one, proof)).toMatchObject(unknown(device.id))
})
