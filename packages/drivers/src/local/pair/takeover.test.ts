import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { stacksDir, versionsFor } from '../../testing/local.harness.ts'
import { startMosquitto } from '../../testing/mosquitto.ts'
import { begin, type Lines, mqttFlow, seen, type Session, twice } from '../../testing/takeover.harness.ts'
import { until } from '../../testing/until.ts'

/** By how a client connects, which the name says. */
const sessions: Record<string, Session> = {
  none0: { qos: 0 },
  none1: { qos: 1 },
  own1: { qos: 1, clientId: 'oven' },
  kept1: { qos: 1, clientId: 'oven-1', keeps: true },
  kept2: { qos: 2, clientId: 'oven-2', keeps: true },
}

/** A broker to which each of these is published, over and over. */
async function publishing(version: string, chosen: Record<string, Session>) {
  const mosquitto = await startMosquitto(join(stacksDir, version))
  onTestFinished(() => mosquitto.close())
  return {
    port: mosquitto.port,
    begin() {
      const all = Object.entries(chosen).map(
        ([name, { qos }]) => [name, mosquitto.publish(`bread/${name}`, qos)] as const,
      )
      return {
        /** Number of messages that were sent to each. */
        end: async () =>
          Promise.all(all.map(async ([name, one]) => [name, (await one.end()).length] as const)).then((counts) =>
            Object.fromEntries(counts),
          ),
      }
    },
  }
}

const slowMs = 600
/** Leads to a port after a while. Returns its own. */
async function slowly(port: number): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    setTimeout(() => {
      const broker = connect(port, '127.0.0.1').on('error', () => socket.destroy())
      socket.pipe(broker).pipe(socket)
    }, slowMs)
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const handledBy = (lines: Lines, version: string, name: string) =>
  lines.filter(([of, text]) => of === version && text.startsWith(`${name}-`)).length

for (const hold of ['inputs', 'flows'] as const)
  test.each(versionsFor(import.meta.filename))(
    `Node-RED %s, held ${hold}: no message is handled by two versions, nor by a refused one, in any kind of MQTT session`,
    async (version) => {
      const { port, begin: publish } = await publishing(version, sessions)
      const { run, tryBeside, halfWay, takeOver, pair, id, handled, driver } = await begin(version)
      const flows = (name: string) => mqttFlow(name, port, sessions)
      const names = Object.keys(sessions)
      /** Until each session has got so many more of this version. */
      const handles = async (of: string, more = 5) => {
        const from = await handled()
        await until(`${of} handles`, async () => {
          const now = await handled()
          return names.every((name) => handledBy(now, of, name) > handledBy(from, of, name) + more)
        })
      }
      await run(flows('old'))
      const sending = publish()
      await handles('old')

      await tryBeside(flows('refused'), hold)
      await pair.discard(id)
      await handles('old')

      // One whose flows run with their inputs closed, while no others do, has not acted either.
      await tryBeside(flows('refused'), hold)
      await halfWay()
      expect(await pair.trialFlows(id)).toMatchObject({ state: 'started' })
      await pair.giveBack(id)
      expect(await driver.flows(id)).toMatchObject({ state: 'started' })
      await handles('old')

      await tryBeside(flows('new'), hold)
      const { old, gap } = await takeOver()
      await handles('new')
      await pair.stop(id, old)
      const sent = await sending.end()
      await until('the last are handled', async () => {
        const texts = new Set((await handled()).map(([, text]) => text))
        return names.every((name) => texts.has(`${name}-${sent[name]! - 1}`))
      })

      const lines = await handled()
      expect(seen(lines, 'refused')).toBe(0)
      expect(twice(lines)).toBe(0)
      expect(gap).toBeLessThan(hold === 'inputs' ? 1_000 : 3_000)
      const texts = new Set(lines.map(([, text]) => text))
      for (const name of names.filter((one) => sessions[one]!.keeps)) {
        const all = Array.from({ length: sent[name]! }, (_, number) => `${name}-${number}`)
        // The session begins with the first subscription, perhaps after the first messages.
        const kept = all.slice(all.findIndex((text) => texts.has(text)))
        expect(kept.length).toBeGreaterThan(all.length / 2)
        expect(kept.filter((text) => !texts.has(text))).toEqual([])
      }
    },
  )

test.each(versionsFor(import.meta.filename))(
  'Node-RED %s: the gap lasts until the new version is connected to its broker',
  async (version) => {
    const chosen = { none0: sessions.none0! }
    const { port, begin: publish } = await publishing(version, chosen)
    const slow = await slowly(port)
    const { run, tryBeside, takeOver, pair, id, handled } = await begin(version)
    await run(mqttFlow('old', slow, chosen))
    const sending = publish()
    await until('the old one handles', async () => seen(await handled(), 'old') > 5)
    await tryBeside(mqttFlow('new', slow, chosen), 'inputs')
    const { old, gap } = await takeOver()
    await pair.stop(id, old)
    await sending.end()
    expect(gap).toBeGreaterThanOrEqual(slowMs)
  },
)

test.each(versionsFor(import.meta.filename))(
  'Node-RED %s: one that gives back loses no message of a kept session',
  async (version) => {
    const kept = { kept1: sessions.kept1! }
    const { port, begin: publish } = await publishing(version, kept)
    const { run, tryBeside, takeOver, pair, id, handled } = await begin(version)
    await run(mqttFlow('old', port, kept))
    const sending = publish()
    await until('the old one handles', async () => seen(await handled(), 'old') > 5)
    await tryBeside(mqttFlow('new', port, kept), 'flows')
    await takeOver()
    await until('the new one handles', async () => seen(await handled(), 'new') > 5)
    await pair.giveBack(id)
    const before = seen(await handled(), 'old')
    await until('the old one handles again', async () => seen(await handled(), 'old') > before + 5)
    const sent = (await sending.end()).kept1!
    const last = `kept1-${sent - 1}`
    await until('the last is handled', async () => (await handled()).some(([, text]) => text === last))
    const lines = await handled()
    expect(twice(lines)).toBe(0)
    expect(new Set(lines.map(([, text]) => text)).size).toBe(sent)
  },
)
