import { expect, test } from 'vitest'
import { askInstance } from '../../testing/instance.http.ts'
import { certificate, say, sayTo } from '../../testing/listeners.ts'
import { pidOf, versions, versionsFor } from '../../testing/local.harness.ts'
import { freePort, isListening } from '../../testing/mosquitto.ts'
import { begin, drawn, seen, tab, tcpFlow, twice, writer } from '../../testing/takeover.harness.ts'
import { until } from '../../testing/until.ts'

type Ports = Record<'tcp' | 'tls' | 'udp', number>
/** One that listens on each of three ports: TCP, TCP with TLS, and UDP. */
const listeners = (version: string, { tcp, tls, udp }: Ports, files: { cert: string; key: string }) => {
  const [first, ...rest] = tcpFlow(version, tcp)
  const secure = { z: 'tab', type: 'tcp in', server: 'server', datamode: 'stream', datatype: 'utf8', newline: '\n' }
  return [
    first!,
    { id: 'tls', type: 'tls-config', ...files, ca: '', verifyservercert: false },
    { ...secure, id: 'secure', port: String(tls), tls: 'tls', wires: [['mark']] },
    { id: 'udp', z: 'tab', type: 'udp in', port: String(udp), ipv: 'udp4', datatype: 'utf8', wires: [['mark']] },
    ...rest,
  ]
}

test.each(versionsFor(import.meta.filename))(
  'Node-RED %s: TCP, TLS and UDP listen after each of many changes of version',
  async (version) => {
    const ports = { tcp: await freePort(), tls: await freePort(), udp: await freePort() }
    const { tcp, tls, udp } = ports
    const files = certificate()
    const { run, tryBeside, takeOver, pair, id, handled } = await begin(version)
    const all = [`tcp ${tcp}`, `tcp ${tls}`, `udp ${udp}`].toSorted()
    await run(listeners('0', ports, files))
    for (let push = 1; push <= 4; push += 1) {
      await tryBeside(listeners(String(push), ports, files), push % 2 === 0 ? 'inputs' : 'flows')
      const { old, refused } = await takeOver()
      expect(refused).toEqual([])
      expect((await pair.opens(id, old === 0 ? 1 : 0))?.listens).toEqual(all)
      const texts = [`tcp-${push}`, `tls-${push}`, `udp-${push}`] as const
      await say(ports, texts)
      await until('all are handled by the new one', async () => {
        const lines = await handled()
        return texts.every((text) => lines.some(([of, told]) => of === String(push) && told === text))
      })
      await pair.stop(id, old)
      expect([await isListening(tcp), await isListening(tls)]).toEqual([true, true])
    }
    expect(twice(await handled())).toBe(0)
  },
)

const injectFlow = (version: string) => [
  tab,
  {
    id: 'once',
    z: 'tab',
    type: 'inject',
    props: [{ p: 'payload' }],
    payload: 'once',
    payloadType: 'str',
    once: true,
    onceDelay: 0.1,
    repeat: '',
    wires: [['mark']],
  },
  {
    id: 'often',
    z: 'tab',
    type: 'inject',
    props: [{ p: 'payload' }],
    payload: 'often',
    payloadType: 'str',
    repeat: '0.2',
    wires: [['mark']],
  },
  ...writer(version),
]

test.each(versionsFor(import.meta.filename))(
  'Node-RED %s: timers of a version on trial do nothing; what acts once acts when it takes over',
  async (version) => {
    const { run, tryBeside, takeOver, pair, id, handled } = await begin(version)
    await run(injectFlow('old'))
    await until('the old one acts', async () => seen(await handled(), 'old') > 3)
    await tryBeside(injectFlow('refused'), 'inputs')
    const from = seen(await handled(), 'old')
    await until('time passes', async () => seen(await handled(), 'old') > from + 10)
    await pair.discard(id)
    await tryBeside(injectFlow('new'), 'inputs')
    const { old } = await takeOver()
    const last = seen(await handled(), 'old')
    await until('the new one acts', async () => seen(await handled(), 'new') > 3)
    await pair.stop(id, old)
    const lines = await handled()
    expect(seen(lines, 'old')).toBe(last)
    expect(seen(lines, 'refused')).toBe(0)
    expect(lines.filter(([of, text]) => of === 'new' && text === 'once')).toHaveLength(1)
  },
)

/** Interval at which the function of this flow sends by the clock. */
const tickMs = 5
const tickingFlow = (version: string) => [
  tab,
  {
    id: 'tick',
    z: 'tab',
    type: 'function',
    initialize: `setInterval(() => node.send({ payload: 'tick' }), ${tickMs})`,
    func: 'return msg',
    outputs: 1,
    wires: [['mark']],
  },
  ...writer(version),
]

test.each(versionsFor(import.meta.filename))(
  'Node-RED %s: messages that no version handles in the gap are counted; those that the old version handled are not',
  async (version) => {
    const { run, tryBeside, takeOver, pair, id, handled } = await begin(version)
    await run(tickingFlow('old'))
    await tryBeside(tickingFlow('new'), 'inputs')
    const from = seen(await handled(), 'old')
    // Longer than any gap, while the new version drops what it sends.
    await until('time passes', async () => seen(await handled(), 'old') > from + 500)
    const { old, gap, dropped } = await takeOver()
    await pair.stop(id, old)
    expect(dropped).toBeGreaterThan(0)
    expect(dropped).toBeLessThanOrEqual(Math.ceil(gap / tickMs) + 1)
  },
)

test.each(versionsFor(import.meta.filename))(
  'Node-RED %s: one that takes over and is refused gives back, and the other acts again',
  async (version) => {
    const port = await freePort()
    const { run, tryBeside, takeOver, pair, id, driver, open, one, crash } = await begin(version)
    await run(tcpFlow('old', port))
    const before = await driver.status(id)
    await tryBeside(tcpFlow('new', port), 'inputs')
    expect((await askInstance(pair.trialEndpoint(id)!, '/version')).status).toBe(200)
    await takeOver()
    await pair.giveBack(id)
    expect(await isListening(port)).toBe(true)
    expect(await driver.status(id)).toEqual(before)

    // One that ends by itself once it acts leaves the same.
    await tryBeside(tcpFlow('new', port), 'inputs')
    await takeOver()
    await crash(`${id}~1`)
    await until('its end is seen', async () => (await pair.members(id)).every(({ state }) => state === 'crashed'))
    await pair.giveBack(id)
    expect(await isListening(port)).toBe(true)
    expect(await driver.status(id)).toEqual(before)

    // A platform that ends after it paused what serves: the next one lets it act again.
    await tryBeside(tcpFlow('new', port), 'inputs')
    await pair.pause(id, 0)
    expect(await isListening(port)).toBe(false)
    await driver.close()
    const second = open()
    await second.adopt()
    expect(await isListening(port)).toBe(true)
    expect(second.pair!.serving(id).map(({ slot }) => slot)).toEqual([0])

    // A platform that ends after the new one was to take over: the next one completes that.
    await second.pair!.startCandidate(one, 'inputs')
    await until('the one on trial runs', async () => (await second.pair!.trial(id)).state === 'running')
    await second.pair!.takeOver(id)
    await second.pair!.pause(id, 0)
    await second.close()
    const third = open()
    await third.adopt()
    expect(await isListening(port)).toBe(true)
    expect((await third.pair!.members(id)).map(({ slot, state }) => [slot, state])).toEqual([[1, 'running']])
  },
)

test.each(['has ended', 'does not answer'] as const)(
  'a new version that %s when the next platform is to let it act is ended, and the one before acts again',
  async (how) => {
    const port = await freePort()
    const { run, id, one, driver, open, putFlows, handled, home } = await begin(versions[1])
    await run(tcpFlow('old', port))
    const pair = driver.pair!
    putFlows(id, drawn(tcpFlow('new', port)))
    await pair.startCandidate(one, 'inputs')
    await until('the one on trial runs', async () => (await pair.trial(id)).state === 'running')
    await pair.takeOver(id)
    await pair.pause(id, 0)
    await driver.close()
    const pid = await pidOf(home, `${id}~1`)
    process.kill(pid, how === 'has ended' ? 'SIGKILL' : 'SIGSTOP')
    const next = open()
    await next.adopt()
    expect((await next.pair!.members(id)).map(({ slot, state }) => [slot, state])).toEqual([[0, 'running']])
    await sayTo(port, 'after')
    await until('the line is handled', async () => (await handled()).length === 1)
    expect(await handled()).toEqual([['old', 'after']])
  },
)

test('what is released is told alike each time it is asked for, and acts once', async () => {
  const { run, tryBeside, halfWay, pair, id, handled } = await begin(versions[1])
  await run(injectFlow('old'))
  await tryBeside(injectFlow('new'), 'inputs')
  const since = await halfWay()
  await pair.takeOver(id)
  const [first, second] = await Promise.all([pair.release(id, 1, since), pair.release(id, 1, since)])
  expect(second).toMatchObject({ late: 0, dropped: 0, refused: [] })
  expect(first.at).toBeGreaterThanOrEqual(since)
  await until('the new one acts', async () => seen(await handled(), 'new') > 3)
  expect((await handled()).filter(([of, text]) => of === 'new' && text === 'once')).toHaveLength(1)
})

test.each(versionsFor(import.meta.filename))(
  'Node-RED %s: a platform that ends at any point of a takeover leaves one version that acts',
  async (version) => {
    const port = await freePort()
    const { run, id, driver, open, one, putFlows, handled } = await begin(version)
    await run(tcpFlow('0', port))
    let [now, acts] = [driver, '0']
    for (const reached of [0, 1, 2, 3, 4]) {
      const pair = now.pair!
      const old = pair.serving(id)[0]!.slot
      const next = String(reached + 1)
      putFlows(id, drawn(tcpFlow(next, port)))
      await pair.startCandidate(one, 'flows')
      await until('the one on trial runs', async () => (await pair.trial(id)).state === 'running')
      const steps = [
        async () => pair.pause(id, old),
        async () => pair.startHeld(id),
        async () => pair.takeOver(id),
        async () => pair.release(id, old === 0 ? 1 : 0, Date.now()),
      ]
      for (const step of steps.slice(0, reached)) await step()
      await now.close()
      now = open()
      await now.adopt()
      // From the moment at which it takes the place of the other, the new one is the one that goes on.
      if (reached > 2) acts = next
      await sayTo(port, `after-${reached}`)
      await until('the line is handled', async () => (await handled()).length === reached + 1)
      expect((await handled()).at(-1)).toEqual([acts, `after-${reached}`])
      expect((await now.pair!.members(id)).map(({ state }) => state)).toEqual(['running'])
      expect(await now.pair!.trial(id)).toEqual({ state: 'stopped' })
    }
  },
)
