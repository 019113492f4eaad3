import { startMosquitto } from '@app/drivers/testing/mosquitto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { until } from './build.ts'
import { stacksDir } from './homes.ts'
import { labelled, on } from './real.platform.ts'

let world: AgentWorld
beforeAll(async () => {
  world = await openAgentWorld({ config: { steadySeconds: 0.5 } })
})
afterAll(async () => world.close())

/** Sessions at a broker by their names: QoS, and does the broker keep them while nobody is connected? */
const sessions = {
  kept1: { qos: '1', keeps: true },
  kept2: { qos: '2', keeps: true },
  own0: { qos: '0', keeps: false },
}

/** Flows that write down each message with their label. With `fails`, the first one is an error. */
const flowsOf = (label: string, port: number, fails = false) => [
  ...labelled(label).slice(0, 4),
  ...Object.entries(sessions).flatMap(([name, { qos, keeps }]) => [
    {
      id: `broker-${name}`,
      type: 'mqtt-broker',
      broker: '127.0.0.1',
      port: `${port}`,
      clientid: `oven-${name}`,
      cleansession: !keeps,
      protocolVersion: '4',
      keepalive: '60',
      autoConnect: true,
    },
    on(`mqtt-${name}`, 'mqtt in', {
      topic: `bread/${name}`,
      qos,
      datatype: 'utf8',
      broker: `broker-${name}`,
      inputs: 0,
      wires: [['mark']],
    }),
  ]),
  on('mark', 'function', {
    func: `msg.payload = '${label} ' + msg.topic + ' ' + msg.payload; ${fails ? "node.error('No flour', msg);" : ''} return msg`,
    outputs: 1,
    wires: [['file']],
  }),
  on('file', 'file', { filename: 'handled.txt', filenameType: 'str', appendNewline: true, overwriteFile: 'false' }),
]

test.each(['held', 'stop-first'] as const)(
  '%s on a device: a session that is kept loses no message, also by a version that is refused, and none is handled twice',
  async (way) => {
    const mosquitto = await startMosquitto(join(stacksDir, '5.0.7'))
    onTestFinished(() => mosquitto.close())
    const { device, agent } = await world.machine()
    const handled = async () =>
      (await readFile(join(agent.dir, 'files/handled.txt'), 'utf8').catch(() => '')).split('\n').slice(0, -1)
    const handles = async (label: string) => {
      const by = (lines: string[], name: string) =>
        lines.filter((line) => line.startsWith(`${label} bread/${name} `)).length
      const from = await handled()
      await until(handled, (now) => Object.keys(sessions).every((name) => by(now, name) > by(from, name) + 5), 90_000)
    }
    const ends = async (name: string) => {
      const { lastDeployment } = await until(device.read, (one) => one.lastDeployment?.name === name, 90_000)
      return lastDeployment
    }
    await device.setTakeover(way)
    await world.setOnErrors('refuse')
    await world.target('First', flowsOf('first', mosquitto.port))
    agent.start()
    await agent.answers('first')
    const sending = Object.entries(sessions).map(
      ([name, { qos }]) => [name, mosquitto.publish(`bread/${name}`, Number(qos) as 0 | 1 | 2)] as const,
    )
    await handles('first')
    await world.target('Second', flowsOf('second', mosquitto.port))
    expect(await ends('Second')).toMatchObject({ state: 'done', takeover: { way } })
    await handles('second')
    // It acts, and is refused for what it does then.
    await world.target('Third', flowsOf('third', mosquitto.port, true))
    expect(await ends('Third')).toMatchObject({ state: 'failed', code: 'flows_faulty', faults: [{ kind: 'error' }] })
    await handles('second')
    const sent = Object.fromEntries(
      await Promise.all(sending.map(async ([name, one]) => [name, (await one.end()).length] as const)),
    )
    const last = (name: string) => `bread/${name} ${sent[name]! - 1}`
    await until(handled, (lines) =>
      Object.keys(sessions).every((name) => lines.some((one) => one.endsWith(last(name)))),
    )
    const texts = (await handled()).map((line) => line.slice(line.indexOf(' ') + 1))
    expect(texts.length - new Set(texts).size).toBe(0)
    for (const name of ['kept1', 'kept2']) {
      const all = Array.from({ length: sent[name]! }, (_, number) => `bread/${name} ${number}`)
      // The session begins with the first subscription, perhaps after the first messages.
      const kept = all.slice(all.findIndex((text) => texts.includes(text)))
      expect(kept.length).toBeGreaterThan(all.length / 2)
      expect(kept.filter((text) => !texts.includes(text))).toEqual([])
    }
    await agent.end()
  },
)
