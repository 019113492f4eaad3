import { onTestFinished } from 'vitest'
import { type TestTeam, type TestUser, until } from './build.ts'
import { type Release, startScriptedAgent } from './scripted.agent.ts'

interface Where {
  /** Where the server answers. */
  address: string
  owner: TestUser
  team: Pick<TestTeam, 'id'>
}
interface DeviceOptions {
  name?: string
  release?: Release
  /** The state that its agent says. */
  state?: string
}

/** A device with a stub of its agent, which is connected to the broker and says that it runs; until the test ends. */
export async function startRunningDevice(
  { address, owner, team }: Where,
  { name = 'Oven 3', release = '4.2.1', state = 'running' }: DeviceOptions = {},
) {
  const device = await owner.client.call('device.create', { body: { name, type: 'Pi', team: team.id } })
  const params = { deviceId: device.id }
  const read = async () => owner.client.call('device.get', { params })
  const agent = await startScriptedAgent(address, release, device)
  onTestFinished(() => agent.end())
  await agent.idle()
  agent.setState(state)
  await agent.report()
  await until(read, ({ status, agentVersion }) => status === state && agentVersion === release)
  return { device, params, agent, read }
}
