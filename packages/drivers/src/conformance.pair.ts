import { describe, expect, onTestFinished, test } from 'vitest'
import type { ConformanceHarness } from './conformance.ts'
import type { InstanceStatus } from './driver.ts'
import { keyOf } from './slots.ts'
import { askInstance } from './testing/instance.http.ts'
import { until } from './testing/until.ts'

/** The suite for drivers that run two processes of one instance. */
export function describePair(name: string, open: () => Promise<ConformanceHarness & { close(): Promise<void> }>): void {
  async function begin() {
    const harness = await open()
    onTestFinished(() => harness.close())
    const { driver, spec } = harness
    const pair = driver.pair!
    const one = spec()
    const bothRun = (id: string) => until('both run', () => pair.serving(id).length === 2)
    const runs = (id: string) => until('it runs', async () => (await driver.status(id)).state === 'running')
    return { ...harness, pair, one, bothRun, runs }
  }

  describe(`${name}: two processes of one instance`, () => {
    test('serve together, each with its own lines in one log; one that ends is told of, and the other goes on', async () => {
      const { driver, pair, one, bothRun, crash } = await begin()
      const seen: InstanceStatus[] = []
      await pair.start(one, 0)
      await pair.start(one, 1)
      await bothRun(one.id)
      driver.watch((id, status) => id === one.id && seen.push(status))
      const [first, second] = await pair.members(one.id)
      expect([first!.slot, second!.slot]).toEqual([0, 1])
      expect(first!.src).not.toBe(second!.src)
      expect(await driver.status(one.id)).toMatchObject({ state: 'running', members: [first, second] })
      for (const { endpoint } of pair.serving(one.id)) expect((await askInstance(endpoint, '/')).status).toBe(200)

      const log = await driver.logs(one.id, { limit: 1000 })
      expect(new Set(log.map(({ src }) => src))).toEqual(new Set([first!.src, second!.src]))
      const order = log.map(({ ts }) => ts)
      expect(order).toEqual([...new Set(order)].toSorted())
      expect(await driver.logs(one.id, { limit: 3, cursor: order[0]! })).toEqual(log.slice(1, 4))
      expect(await driver.logs(one.id, { limit: 3, cursor: `-${order.at(-1)}` })).toEqual(log.slice(0, -1).slice(-3))

      const both = await driver.usage(one.id)
      const single = await pair.usage(one.id, 1)
      expect(both!.memoryMb).toBeGreaterThanOrEqual(single!.memoryMb)

      await crash(keyOf(one.id, 1))
      const status = await until('its end is told', () => seen.find(({ members }) => members?.[1]?.state === 'crashed'))
      expect(status).toMatchObject({ state: 'running', members: [{ slot: 0, state: 'running' }, { slot: 1 }] })
      expect(pair.serving(one.id).map(({ slot }) => slot)).toEqual([0])
      await pair.start({ ...one, again: true }, 1)
      await bothRun(one.id)

      await pair.stop(one.id, 0)
      expect(pair.serving(one.id).map(({ slot }) => slot)).toEqual([1])
      expect(await driver.status(one.id)).toMatchObject({ state: 'running' })
      await driver.stop(one.id)
      expect(await driver.status(one.id)).toEqual({ state: 'stopped' })
      expect(pair.serving(one.id)).toEqual([])
    })

    test('one on trial serves nobody until it takes over; then the other has only to end', async () => {
      const { driver, pair, one, runs } = await begin()
      await expect(pair.startCandidate(one)).rejects.toMatchObject({ code: 'not_beside' })
      await driver.start(one)
      await runs(one.id)
      const before = await driver.status(one.id)
      await pair.startCandidate(one)
      await until('the one on trial runs', async () => (await pair.trial(one.id)).state === 'running')
      expect(await driver.status(one.id)).toEqual(before)
      expect(pair.serving(one.id).map(({ slot }) => slot)).toEqual([0])

      expect(await pair.takeOver(one.id)).toBe(0)
      expect(await pair.takeOver(one.id)).toBe(0)
      const [place] = pair.serving(one.id)
      expect(place!.slot).toBe(1)
      expect(driver.endpoint(one.id)).toEqual(place!.endpoint)
      await pair.stop(one.id, 0)
      expect(await pair.takeOver(one.id)).toBeUndefined()
      // Readers of the log must not take the end of the other process for the end of all.
      const [member] = await pair.members(one.id)
      const last = (await driver.logs(one.id, { limit: 1 })).at(-1)
      expect([last?.src, last?.msg]).toEqual([member!.src, expect.stringContaining('now serves requests')])
      const after = await driver.status(one.id)
      expect(after).toMatchObject({ state: 'running' })
      expect(after.lastStartTime).toBeGreaterThanOrEqual(before.lastStartTime!)
      expect((await askInstance(driver.endpoint(one.id)!, '/')).status).toBe(200)
      await driver.start(one)
      expect(pair.serving(one.id).map(({ slot }) => slot)).toEqual([1])
      await driver.stop(one.id)
      expect(await driver.status(one.id)).toEqual({ state: 'stopped' })
    })

    test('one whose flows were stopped for another serves nobody until they run again', async () => {
      const { driver, pair, one, runs, crash } = await begin()
      await driver.start(one)
      await runs(one.id)
      const serves = () => [pair.serving(one.id).map(({ slot }) => slot), driver.endpoint(one.id) !== undefined]
      await pair.startCandidate(one, 'inputs')
      await until('the one on trial runs', async () => (await pair.trial(one.id)).state === 'running')
      await pair.pause(one.id, 0)
      expect(serves()).toEqual([[], false])
      await pair.takeOver(one.id)
      expect(serves()).toEqual([[1], true])
      await crash(keyOf(one.id, 1))
      await until('its end is noticed', () => pair.serving(one.id).length === 0)
      expect(serves()).toEqual([[], false])
      await pair.giveBack(one.id)
      expect(serves()).toEqual([[0], true])
      expect((await askInstance(driver.endpoint(one.id)!, '/')).status).toBe(200)
    })

    test('one on trial that fails, or is not wanted, leaves the instance as it was', async () => {
      const { driver, pair, one, runs, crash } = await begin()
      const seen: InstanceStatus[] = []
      await driver.start(one)
      await runs(one.id)
      const before = await driver.status(one.id)
      driver.watch((id, status) => id === one.id && seen.push(status))
      await pair.startCandidate(one)
      await until('the one on trial runs', async () => (await pair.trial(one.id)).state === 'running')
      await crash(keyOf(one.id, 1))
      await until('it has crashed', async () => (await pair.trial(one.id)).state === 'crashed')
      await pair.discard(one.id)
      await pair.discard(one.id)
      expect(await pair.trial(one.id)).toEqual({ state: 'stopped' })
      expect(await driver.status(one.id)).toEqual(before)
      expect(seen.every(({ state }) => state === 'running')).toBe(true)
    })

    test('a platform that starts again finds both, ends what was on trial and what was replaced', async (context) => {
      const { driver, pair, one, bothRun, reopen } = await begin()
      if (!driver.capabilities.outlivesPlatform)
        return context.annotate(`${name}: not supported, instances end with the platform`).then(() => {})
      await pair.start(one, 0)
      await pair.start(one, 1)
      await bothRun(one.id)
      await driver.close()
      const second = reopen()
      expect(await second.adopt()).toEqual([one.id])
      await until('both are found', () => second.pair!.serving(one.id).length === 2)

      await second.pair!.stop(one.id, 1)
      await second.pair!.startCandidate(one)
      await second.close()
      const third = reopen()
      expect(await third.adopt()).toEqual([one.id])
      expect(await third.pair!.trial(one.id)).toEqual({ state: 'stopped' })
      expect((await third.pair!.members(one.id)).map(({ slot }) => slot)).toEqual([0])

      await third.pair!.startCandidate(one)
      await until('the one on trial runs', async () => (await third.pair!.trial(one.id)).state === 'running')
      await third.pair!.takeOver(one.id)
      await third.close()
      const fourth = reopen()
      expect(await fourth.adopt()).toEqual([one.id])
      expect((await fourth.pair!.members(one.id)).map(({ slot, state }) => [slot, state])).toEqual([[1, 'running']])
    })
  })
}
