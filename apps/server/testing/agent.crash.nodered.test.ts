import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { embeddedBroker } from './broker.ts'
import { until } from './build.ts'
import { enterEditor } from './editor.browser.ts'
import { labelled, on } from './real.platform.ts'

/** Crashes 2 to 4 wait for 10, 20 and 40 s, a quarter more or less. */
const rowMs = 240_000

let world: AgentWorld
beforeAll(async () => {
  world = await openAgentWorld({ config: { broker: embeddedBroker, steadySeconds: 0.5 } })
})
afterAll(() => world.close())

/** Ends Node-RED at each of its starts, while there is a file `broken` in this folder. */
const fragile = (label: string) => [
  ...labelled(label),
  on('often', 'inject', { props: [], once: true, onceDelay: 0.2, repeat: '0.2', wires: [['look']] }),
  on('look', 'function', {
    func: [
      'const host = Buffer.constructor("return process")()',
      `if (host.getBuiltinModule('fs').existsSync(env.get('FLAG'))) setTimeout(() => host.exit(3), 10)`,
    ].join('\n'),
    wires: [],
  }),
]

/** A device that runs these flows, and the file that makes them crash. */
async function fragileMachine() {
  const { device, agent } = await world.machine()
  const flag = join(agent.dir, 'files/broken')
  await device.setEnv([{ name: 'FLAG', value: flag }])
  agent.start()
  await agent.answers('fragile')
  await until(device.read, ({ status }) => status === 'running')
  return {
    device,
    agent,
    crash: () => writeFileSync(flag, ''),
    mend: () => rmSync(flag),
    inSafeMode: async () => until(device.read, ({ status }) => status === 'safe', rowMs),
  }
}

test('flows that crash five times in a row stay out until they are restarted, mended in the editor or replaced', async () => {
  const { owner, server } = world
  await world.target('Fragile', fragile('fragile'))
  const [restarted, edited, replaced] = [await fragileMachine(), await fragileMachine(), await fragileMachine()]
  const inEdited = { params: { deviceId: edited.device.id } }
  await owner.client.call('deviceDeveloper.setMode', { ...inEdited, body: { mode: 'developer' } })
  await edited.agent.said(/Developer mode is on/)
  for (const { crash } of [restarted, edited, replaced]) crash()

  const crashed = await until(restarted.device.read, ({ status }) => status === 'crashed')
  expect(crashed.trouble).toMatchObject({
    reason: expect.stringMatching(/^Node-RED ended unexpectedly/) as string,
    restart: { crashes: expect.any(Number) as number, safe: false },
  })
  for (const { inSafeMode, agent, device } of [restarted, edited, replaced]) {
    const { trouble } = await inSafeMode()
    expect(trouble).toEqual({
      reason: expect.stringMatching(
        /^It crashed 5 times in a row \(Node-RED ended.*\)\. Its flows stand still/,
      ) as string,
    })
    expect((await agent.visit()).status).toBe(404)
    const said = agent.lines().filter((line) => line.includes('Node-RED crashed'))
    expect(said.map((line) => /Crash (\d)/.exec(line)?.[1])).toEqual(['1', '2', '3', '4', '5'])
    expect(said.at(-1)).toContain('without flows')
    const params = { deviceId: device.id }
    const { log } = await until(
      async () => owner.client.call('device.auditLog', { params, query: {} }),
      (page) => page.log.some(({ event }) => event === 'safe-mode'),
    )
    const events = log.map(({ event }) => event).filter((event) => event === 'crashed' || event === 'safe-mode')
    expect(events).toEqual(['safe-mode', ...Array<string>(5).fill('crashed')])
  }

  restarted.mend()
  await owner.client.call('deviceAction.restart', { params: { deviceId: restarted.device.id } })
  await restarted.agent.answers('fragile')
  expect(await until(restarted.device.read, ({ status }) => status === 'running')).toMatchObject({ trouble: null })

  // The editor opens, and the flows stay out until they are deployed.
  await owner.client.call('deviceEditor.set', { ...inEdited, body: { enabled: true } })
  const { ask, origin } = await enterEditor(server.address, edited.device.id, owner)
  const v2 = { 'node-red-api-version': 'v2' }
  const { json } = await until(
    async () => ask('/flows', v2),
    ({ status }) => status === 200,
    60_000,
  )
  expect(await edited.device.read()).toMatchObject({ status: 'safe' })
  const { rev } = json as { rev: string }
  const deployed = await ask('/flows', { ...v2, origin }, 'POST', { flows: labelled('mended'), rev })
  expect(deployed.status).toBe(200)
  await edited.agent.answers('mended')
  expect(await until(edited.device.read, ({ status }) => status === 'running')).toMatchObject({ trouble: null })

  await world.target('Better', labelled('better'))
  await replaced.agent.answers('better')
  expect(await until(replaced.device.read, ({ status }) => status === 'running')).toMatchObject({ trouble: null })
  expect((await edited.agent.visit()).text).toBe('mended')
  for (const { agent } of [restarted, edited, replaced]) expect(await agent.end()).toBe(0)
}, 600_000)

test('a device that cannot start Node-RED says why, and starts it once it can', async () => {
  const { device, agent } = await world.machine()
  await world.target('Good', labelled('good'))
  agent.start()
  await agent.answers('good')
  await until(device.read, ({ status }) => status === 'running')
  await agent.cutPower()
  const stacks = join(agent.dir, 'nodered/stacks')
  await rename(stacks, `${stacks}.away`)
  agent.start()
  await agent.said(/The flows could not be started/)
  const { trouble } = await until(device.read, ({ status }) => status === 'error')
  expect(trouble?.reason).toMatch(/5\.0\.7/)
  if (existsSync(stacks)) rmSync(stacks, { recursive: true })
  await rename(`${stacks}.away`, stacks)
  await agent.answers('good')
  expect(await until(device.read, ({ status }) => status === 'running')).toMatchObject({ trouble: null })
  expect(await agent.end()).toBe(0)
})
