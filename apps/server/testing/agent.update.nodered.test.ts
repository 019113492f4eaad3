import { mkdtemp, rm } from 'node:fs/promises'
import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hashOf, keepAgent, linksOf, openVersions } from './agent.versions.ts'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { embeddedBroker } from './broker.ts'
import { until } from './build.ts'
import { labelled } from './real.platform.ts'

const former = '0.0.1'
/** Packages are unpacked more than once, on a machine that is busy with something else. */
const patience = 180_000
let world: AgentWorld
let versions: Awaited<ReturnType<typeof openVersions>>
beforeAll(async () => {
  world = await openAgentWorld({ config: { broker: embeddedBroker, steadySeconds: 0.5 } })
  versions = await openVersions(world.server.address)
}, patience)
afterAll(async () => {
  await world.close()
  await versions.close()
})

/** Has the platform serve this package. */
function serve(path: string): void {
  const served = { path, size: statSync(path).size, sha256: hashOf(path) }
  world.server.app.services.agentPackage.file = async () => served
}

/** A device whose agent is a service of the installer, of a version before the one that the platform serves. */
async function openDevice(file: object = {}, env: NodeJS.ProcessEnv = {}) {
  const prefix = await mkdtemp(join(tmpdir(), 'forge-agent-prefix-'))
  versions.install(prefix, former)
  const { device, agent } = await world.machine()
  agent.write(file)
  await world.target('First', labelled('first').slice(0, 4))
  const service = keepAgent(agent, prefix, { FLOWFORGE_AGENT_TRIAL_SECONDS: '60', ...env })
  onTestFinished(async () => {
    await service.close()
    await agent.close()
    await rm(prefix, { recursive: true, force: true, maxRetries: 5 })
  })
  await agent.answers('first')
  await until(device.read, ({ status, agentVersion }) => status === 'running' && agentVersion === former)
  const flows = await agent.nodeReds()
  return {
    device,
    agent,
    prefix,
    service,
    order: async () => world.owner.client.call('deviceAction.updateAgent', { params: { deviceId: device.id } }),
    /** The device as the platform has it, once it knows how the order ended. */
    ended: async () =>
      until(device.read, ({ agentUpdate }) => agentUpdate.ordered === null && agentUpdate.last !== null, patience),
    /** The flows answer, and no process of theirs was started anew. */
    async expectFlows(): Promise<void> {
      await agent.answers('first')
      expect(await agent.nodeReds()).toEqual(flows)
    },
  }
}

describe('a version that works', () => {
  beforeAll(() => serve(versions.served))
  const version = () => world.server.app.services.version

  test.each([
    ['the broker', {}],
    ['HTTP', { brokerURL: undefined }],
  ])(
    '[DEV-64] ordered over %s is downloaded and started, and stays once it has called home; flows run on',
    async (_way, file) => {
      const { device, prefix, service, order, ended, expectFlows } = await openDevice(file)
      expect((await device.read()).agentUpdate).toMatchObject({ updater: 'self', available: version(), last: null })
      await order()
      expect(await ended()).toMatchObject({
        agentVersion: version(),
        agentUpdate: { available: null, last: { version: version(), state: 'done' } },
      })
      expect(linksOf(prefix)).toEqual({
        current: `versions/${hashOf(versions.served)}`,
        isTrying: false,
        versions: [`versions/${hashOf(versions.served)}`, 'versions/before'].sort(),
      })
      expect(service.starts()).toBe(2)
      await expectFlows()
      // It is the one that is started from now on.
      service.kill()
      await until(
        async () => service.starts(),
        (starts) => starts === 3,
      )
      await until(device.read, ({ lastSeenMs, agentVersion }) => lastSeenMs! < 1_000 && agentVersion === version())
    },
    patience,
  )

  test.each([
    ['begins to download', /Downloading version/],
    ['begins to unpack', /Unpacking version/],
    ['begins to end', /Ending to start version/],
    ['has committed to the new one', /The agent was updated to/],
  ])(
    '[DEV-64] an agent that is killed as it %s is updated all the same',
    async (_step, at) => {
      const { service, order, ended, expectFlows, prefix } = await openDevice()
      const killed = service.killAt(at)
      await order()
      await killed
      expect(await ended()).toMatchObject({ agentVersion: version(), agentUpdate: { last: { state: 'done' } } })
      expect(linksOf(prefix)).toMatchObject({ current: `versions/${hashOf(versions.served)}`, isTrying: false })
      await expectFlows()
    },
    patience,
  )

  test(
    '[DEV-64] a new version that is killed before it has called home gives way to the one before, and can be ordered again',
    async () => {
      const { service, order, ended, expectFlows, prefix } = await openDevice()
      const killed = service.killAt(new RegExp(`FlowForge agent ${version()} on Node.js`.replaceAll('.', '\\.')))
      await order()
      await killed
      const { agentVersion, agentUpdate } = await ended()
      const { state, code } = agentUpdate.last!
      const { current, isTrying } = linksOf(prefix)
      // It may have called home in the moment before it was killed.
      const outcomes = {
        failed: [former, 'update_not_home', 'versions/before', false],
        done: [version(), undefined, `versions/${hashOf(versions.served)}`, false],
      }
      expect([agentVersion, code, current, isTrying]).toEqual(outcomes[state])
      if (state === 'failed') await order()
      await until(ended, ({ agentUpdate: { last } }) => last!.state === 'done', patience)
      await expectFlows()
    },
    patience,
  )

  test(
    'a download that is not what was ordered is not started, and the device says so',
    async () => {
      const { device, order, ended, expectFlows, prefix } = await openDevice()
      const { agentPackage } = world.server.app.services
      const { file } = agentPackage
      onTestFinished(() => void (agentPackage.file = file))
      agentPackage.file = async () => ({ ...(await file())!, sha256: '0'.repeat(64) })
      await order()
      const { agentUpdate } = await ended()
      expect(agentUpdate.last).toMatchObject({ state: 'failed', code: 'checksum_mismatch' })
      expect(linksOf(prefix)).toEqual({ current: 'versions/before', isTrying: false, versions: ['versions/before'] })
      expect((await device.read()).agentVersion).toBe(former)
      await expectFlows()
    },
    patience,
  )
})

test.each([
  ['ends at once', 'throw new Error("nothing works")', {}],
  ['hangs', 'for (;;);', { FLOWFORGE_AGENT_TRIAL_SECONDS: '2' }],
])(
  '[DEV-64] a version that %s gives way to the one before within the time it has, and the device says why',
  async (_what, text, env) => {
    serve(await versions.pack(text))
    const { agent, device, service, order, ended, expectFlows, prefix } = await openDevice({}, env)
    await order()
    const { agentVersion, agentUpdate } = await ended()
    expect(agentVersion).toBe(former)
    expect(agentUpdate).toMatchObject({
      available: world.server.app.services.version,
      last: {
        state: 'failed',
        code: 'update_not_home',
        message: expect.stringContaining(`Version ${former} runs again`),
      },
    })
    expect(linksOf(prefix)).toEqual({ current: 'versions/before', isTrying: false, versions: ['versions/before'] })
    expect(service.starts()).toBe(3)
    await expectFlows()
    // It goes on to take targets, and does not try the version again.
    await world.target('Second', labelled('second').slice(0, 4))
    await agent.answers('second')
    await until(device.read, ({ activeSnapshot }) => activeSnapshot?.name === 'Second')
    expect(service.starts()).toBe(3)
  },
  patience,
)

test(
  '[DEV-64] a new version that cannot reach the platform gives way to the one before',
  async () => {
    serve(versions.served)
    const { device, agent, service, order, ended, expectFlows, prefix } = await openDevice(
      { brokerURL: undefined },
      { FLOWFORGE_AGENT_TRIAL_SECONDS: '5' },
    )
    const { forgeURL } = device.file
    // From the moment at which it makes way, the device reaches nothing.
    const left = service.said(/Making way for another version/).then(() => {
      agent.write({ brokerURL: undefined, forgeURL: 'http://127.0.0.1:9' })
    })
    await order()
    await left
    await service.said(/cannot be reached/)
    await until(
      async () => service.starts(),
      (starts) => starts === 3,
      patience,
    )
    agent.write({ brokerURL: undefined, forgeURL })
    await service.close()
    const again = keepAgent(agent, prefix)
    onTestFinished(() => again.close())
    const { agentVersion, agentUpdate } = await ended()
    expect([agentVersion, agentUpdate.last!.code]).toEqual([former, 'update_not_home'])
    await expectFlows()
  },
  patience,
)
