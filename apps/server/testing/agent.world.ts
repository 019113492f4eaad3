import type { Device, DeviceNodeRedPatch, Instance } from '@app/contract'
import { openAgent } from './agent.ts'
import { startServer, type TestServerOptions } from './server.ts'
import type { createStubDriver } from '@app/drivers/stub'

export type AgentWorld = Awaited<ReturnType<typeof openAgentWorld>>

interface WorldOptions extends TestServerOptions<ReturnType<typeof createStubDriver>> {
  /** The Node-RED of the instance, and so of its devices. */
  nodered?: string
}

/** A platform with one instance, whose devices run real Node-RED by real agents. */
export async function openAgentWorld({ nodered = '5.0.7', ...options }: WorldOptions = {}) {
  const server = await startServer(options)
  const { owner, team } = await server.build.platform()
  const application = await server.build.application(owner, team)
  const choice = await server.build.choice()
  const { stacks } = await owner.client.call('stack.list', { query: { filter: 'active' } })
  const stack = stacks.find(({ properties }) => properties.nodered === nodered)!.id
  const body = { name: 'oven', applicationId: application.id, ...choice, stack }
  const oven = await owner.client.call('instance.create', { body })
  const agents: { close(): Promise<void> }[] = []
  const inOven = { params: { instanceId: oven.id } }

  /** A device of the instance. */
  async function addDevice() {
    const made = await owner.client.call('device.create', { body: { name: 'Oven 3', type: 'Pi', team: team.id } })
    const params = { deviceId: made.id }
    await owner.client.call('device.update', { params, body: { instance: oven.id } })
    const { token, credentialSecret, otc, broker } = made.credentials
    return {
      id: made.id,
      otc: otc!,
      file: {
        deviceId: made.id,
        token,
        credentialSecret,
        forgeURL: server.address,
        ...(broker && { brokerURL: broker.url, brokerUsername: broker.username, brokerPassword: broker.password }),
      },
      read: async () => owner.client.call('device.get', { params }),
      remove: async () => owner.client.call('device.delete', { params }),
      setEnv: async (env: { name: string; value: string }[]) =>
        owner.client.call('device.saveSettings', { params, body: { env } }),
      setTakeover: async (takeover: Device['takeover']) =>
        owner.client.call('device.update', { params, body: { takeover } }),
      setNodeRed: async (nodeRed: DeviceNodeRedPatch) =>
        owner.client.call('device.update', { params, body: { nodeRed } }),
      unassign: async () => owner.client.call('device.update', { params, body: { instance: null } }),
    }
  }

  /** Makes a snapshot of these flows, with these modules, the target. Returns its id. */
  async function target(
    name: string,
    flows: object[],
    modules: Record<string, string> = {},
    credentials: Record<string, object> = {},
  ): Promise<string> {
    const palette = { modules: Object.entries(modules).map(([module, version]) => ({ name: module, version })) }
    await owner.client.call('instance.update', { ...inOven, body: { settings: { palette } } })
    const body = { name, flows: flows as Record<string, unknown>[], credentials, credentialSecret: '' }
    const { id } = await owner.client.call('snapshot.create', { ...inOven, body })
    await owner.client.call('device.setTarget', { ...inOven, body: { targetSnapshot: id } })
    return id
  }

  return {
    server,
    owner,
    team,
    oven,
    addDevice,
    target,
    /** Whether new errors are refused, on the instance and its devices. */
    setOnErrors: async (onErrors: Instance['onErrors']) =>
      owner.client.call('instance.update', { ...inOven, body: { onErrors } }),
    /** A device with its agent, which is not started yet. */
    async machine(more: Partial<Parameters<typeof openAgent>[0]> = {}) {
      const device = await addDevice()
      const agent = await openAgent({ file: device.file, ...more })
      agents.push(agent)
      return { device, agent }
    },
    track: <T extends { close(): Promise<void> }>(one: T): T => (agents.push(one), one),
    async close(): Promise<void> {
      for (const one of agents) await one.close()
      await server.close()
    },
  }
}
