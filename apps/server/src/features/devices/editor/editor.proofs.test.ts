import { expect, onTestFinished, test } from 'vitest'
import { embeddedBroker } from '../../../../testing/broker.ts'
import { enterEditor } from '../../../../testing/editor.browser.ts'
import { openPlatform, send, testClock, until } from '../../../../testing/index.ts'
import { startScriptedAgent } from '../../../../testing/scripted.agent.ts'

const clock = testClock()
const { server, owner, team } = await openPlatform({ config: { broker: embeddedBroker }, clock })
const oven = await server.build.runningInstance(owner, await server.build.application(owner, team))

async function assigned(name: string) {
  const device = await owner.client.call('device.create', { body: { name, type: 'Pi', team: team.id } })
  await owner.client.call('device.update', { params: { deviceId: device.id }, body: { instance: oven.id } })
  /** The entry of a deploy that the device reports with this proof. */
  async function deployed(editorToken: string) {
    const { id, credentials } = device
    const headers = { authorization: `Bearer ${credentials.token}` }
    const body = { event: 'flows.set', editorToken }
    expect((await send(server.address, 'POST', `/logging/device/${id}/audit`, { headers, body })).status).toBe(200)
    const { log } = await owner.client.call('device.auditLog', { params: { deviceId: id }, query: { limit: 1 } })
    return log[0]!
  }
  return { device, deployed }
}

test('the proof of who uses the editor of a device counts for that device, and for a day', async () => {
  const { device, deployed } = await assigned('Oven 3')
  const other = await assigned('Oven 4')
  const params = { deviceId: device.id }
  const agent = await startScriptedAgent(server.address, '4.2.1', device)
  onTestFinished(() => agent.end())
  agent.serveEditor(({ headers }) => ({ headers: { 'content-type': 'text/plain' }, body: headers!['x-forge-editor'] }))
  await until(
    async () => owner.client.call('device.get', { params }),
    ({ agentVersion }) => agentVersion !== null,
  )
  await owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
  await until(
    async () => {
      agent.setState('running')
      await agent.report()
      return owner.client.call('device.get', { params })
    },
    ({ status }) => status === 'running' && agent.mode() === 'developer',
  )
  await owner.client.call('deviceEditor.set', { params, body: { enabled: true } })
  const member = await server.build.member(team, 30)
  const { ask } = await enterEditor(server.address, device.id, member)
  const { text: proof } = await ask('/flows', { 'x-forge-editor': 'forged' })
  expect(proof).not.toContain(member.id)

  const known = { username: member.username, trigger: { id: member.id, type: 'user' }, address: '127.0.0.1' }
  expect(await deployed(proof)).toMatchObject(known)
  const unknown = (id: string) => ({ username: null, trigger: { id, type: 'system' } })
  expect(await other.deployed(proof)).toMatchObject(unknown(other.device.id))
  expect(await deployed(`${proof}x`)).toMatchObject(unknown(device.id))
  clock.turn(24 * 60 * 60_000)
  expect(await deployed(proof)).toMatchObject(unknown(device.id))
})
