import { describe, expect, onTestFinished, test } from 'vitest'
import type { Driver, InstanceSpec, InstanceStatus } from './driver.ts'
import { askInstance } from './testing/instance.http.ts'
import { until } from './testing/until.ts'

/** What a driver brings to be judged. */
export interface ConformanceHarness {
  driver: Driver
  /** A new instance that this driver can start, with a stack that is there. */
  spec(): InstanceSpec
  /** Another driver object over the same instances; only asked for when they outlive the platform. */
  reopen(): Driver
}

/** The suite that every driver must pass. Where a driver says that it cannot do something, a test says so aloud. */
export function describeDriver(
  name: string,
  open: () => Promise<ConformanceHarness & { close(): Promise<void> }>,
): void {
  const begin = async () => {
    const harness = await open()
    onTestFinished(() => harness.close())
    return harness
  }
  const stateOf = async (driver: Driver, id: string) => (await driver.status(id)).state
  const isRunning = (driver: Driver, id: string) =>
    until('it runs', async () => (await stateOf(driver, id)) === 'running')

  describe(`${name}: life of an instance`, () => {
    test('[INST-20] a started instance is pushed through its states to running, tells its versions, and answers HTTP', async () => {
      const { driver, spec } = await begin()
      const one = spec()
      const seen: InstanceStatus[] = []
      driver.watch((id, status) => id === one.id && seen.push(status))
      await driver.start(one)
      const running = await until('running is pushed', () => seen.find(({ state }) => state === 'running'))
      expect(seen[0]?.state).toMatch(/^(loading|starting)$/)
      expect(running.versions?.['node-red']).toBe(one.stack.nodered)
      expect(running.lastStartTime).toBeGreaterThan(Date.now() - 60_000)
      expect((await askInstance(driver.endpoint(one.id)!, '/')).status).toBe(200)
    })

    test('starting a running instance again has no effect', async () => {
      const { driver, spec } = await begin()
      const one = spec()
      await driver.start(one)
      await isRunning(driver, one.id)
      const before = await driver.status(one.id)
      await driver.start(one)
      expect(await driver.status(one.id)).toEqual(before)
    })

    test('a stopped instance is gone, stays known as stopped, and can be started again', async () => {
      const { driver, spec } = await begin()
      const one = spec()
      await driver.start(one)
      await isRunning(driver, one.id)
      await driver.stop(one.id)
      expect(await stateOf(driver, one.id)).toBe('stopped')
      expect(driver.endpoint(one.id)).toBeUndefined()
      await driver.stop(one.id)
      await driver.start(one)
      await isRunning(driver, one.id)
    })

    test('a stop that follows a start at once wins', async () => {
      const { driver, spec } = await begin()
      const one = spec()
      await Promise.all([driver.start(one), driver.stop(one.id)])
      expect(await stateOf(driver, one.id)).toBe('stopped')
    })

    test('an id that nobody knows is stopped, has no log, and can be stopped and removed', async () => {
      const { driver } = await begin()
      expect(await driver.status('nobody')).toEqual({ state: 'stopped' })
      expect(await driver.logs('nobody', { limit: 10 })).toEqual([])
      await driver.stop('nobody')
      await driver.remove('nobody')
      await driver.revokeUserToken('nobody', 'token')
    })

    test('a stack that is there needs no installation', async () => {
      const { driver, spec } = await begin()
      const { stack } = spec()
      expect(await driver.hasStack(stack)).toBe(true)
      await driver.installStack(stack, () => {})
      expect(await driver.hasStack({ ...stack, nodered: '0.0.1' })).toBe(driver.name === 'stub')
    })
  })

  describe(`${name}: logs`, () => {
    test('[NRLOG-05] [NRLOG-07] entries have ts, level, msg and src, come oldest first, and are paged by cursor', async () => {
      const { driver, spec } = await begin()
      const one = spec()
      await driver.start(one)
      await isRunning(driver, one.id)
      await driver.stop(one.id)
      const all = await driver.logs(one.id, { limit: 1000 })
      expect(all[0]).toEqual({
        ts: expect.stringMatching(/^\d{17}$/),
        level: 'info',
        msg: expect.any(String),
        src: expect.stringMatching(/^[0-9a-f]{4}$/),
      })
      expect(all.map(({ ts }) => ts)).toEqual(all.map(({ ts }) => ts).toSorted())
      const last = all.at(-1)!
      expect(await driver.logs(one.id, { limit: 1 })).toEqual([last])
      expect(await driver.logs(one.id, { limit: 1, cursor: '0' })).toEqual([all[0]])
      expect(await driver.logs(one.id, { limit: 1000, cursor: all[0]!.ts })).toEqual(all.slice(1))
      expect(await driver.logs(one.id, { limit: 1000, cursor: `-${last.ts}` })).toEqual(all.slice(0, -1))
      expect(await driver.logs(one.id, { limit: 10, cursor: last.ts })).toEqual([])
    })

    test('[NRLOG-03] who follows a log gets each line of the next start once', async () => {
      const { driver, spec } = await begin()
      const one = spec()
      const seen: string[] = []
      const unfollow = driver.followLogs(one.id, ({ ts }) => seen.push(ts))
      await driver.start(one)
      await isRunning(driver, one.id)
      const written = (await driver.logs(one.id, { limit: 1000 })).map(({ ts }) => ts)
      await until('all lines arrived', () => seen.length >= written.length)
      expect(seen.slice(0, written.length)).toEqual(written)
      unfollow()
    })

    test('a removed instance leaves no log', async () => {
      const { driver, spec } = await begin()
      const one = spec()
      await driver.start(one)
      await driver.remove(one.id)
      expect(await driver.logs(one.id, { limit: 10 })).toEqual([])
      expect(await driver.status(one.id)).toEqual({ state: 'stopped' })
    })
  })

  describe(`${name}: a restart of the platform`, () => {
    test('another driver object finds the running instances, or the driver says that it cannot', async (context) => {
      const { driver, spec, reopen } = await begin()
      if (!driver.capabilities.outlivesPlatform) {
        await context.annotate(`${name}: not supported, instances end with the platform`)
        return expect(await driver.adopt()).toEqual([])
      }
      const one = spec()
      await driver.start(one)
      await isRunning(driver, one.id)
      const before = await driver.status(one.id)
      await driver.close()
      const next = reopen()
      expect(await next.adopt()).toEqual([one.id])
      expect(await next.status(one.id)).toEqual(before)
      expect((await askInstance(next.endpoint(one.id)!, '/')).status).toBe(200)
    })
  })
}
