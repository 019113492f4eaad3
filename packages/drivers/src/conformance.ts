import { Readable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Driver, InstanceFile, InstanceSpec, InstanceStatus } from './driver.ts'
import { codeFlow, diceFlow, diceModule } from './testing/flows.ts'
import { askInstance } from './testing/instance.http.ts'
import { until } from './testing/until.ts'

/** The parts a driver provides for the conformance tests. */
export interface ConformanceHarness {
  driver: Driver
  /** A new instance that this driver can start, with a stack that is there. */
  spec(): InstanceSpec
  /** Ends a running instance as nobody has asked for; with `~1` behind the id its second process. */
  crash(id: string): Promise<void>
  /** Gives an instance that is not started yet its flows; absent where instances are made up. */
  putFlows?(id: string, flows: object[]): void
  /** Tells whether the process that an instance has now is still there; absent, as the next two, where none is real. */
  presence?(id: string): Promise<() => boolean>
  /** Number of running programs whose command line begins so, on the machine or the machines of instances. */
  programs?(start: string): number
  /** The size of an instance's log where it is kept. */
  logBytes?(id: string): number
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

    test('a stopped instance is gone and uses nothing, stays known as stopped, and can be started again', async () => {
      const { driver, spec } = await begin()
      const one = spec()
      await driver.start(one)
      await isRunning(driver, one.id)
      expect(await driver.usage(one.id)).toMatchObject({ cpuMs: expect.any(Number), memoryMb: expect.any(Number) })
      await driver.stop(one.id)
      expect(await stateOf(driver, one.id)).toBe('stopped')
      expect(driver.endpoint(one.id)).toBeUndefined()
      expect(await driver.usage(one.id)).toBeUndefined()
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

  describe(`${name}: misbehaviour`, () => {
    test('what it cannot do it says in sentences', async () => {
      const { driver } = await begin()
      const { outlivesPlatform: _, gaps, ...can } = driver.capabilities
      const missing = Object.values(can).filter((able) => !able)
      expect(gaps.length).toBeGreaterThanOrEqual(Math.min(missing.length, 1))
      for (const gap of gaps) expect(gap).toMatch(/^[A-Z].*\.$/)
    })

    test('a crash is pushed with its reason and stays told until the next start', async () => {
      const { driver, spec, crash } = await begin()
      const one = spec()
      const seen: InstanceStatus[] = []
      driver.watch((id, status) => id === one.id && seen.push(status))
      await driver.start(one)
      await isRunning(driver, one.id)
      await crash(one.id)
      const crashed = await until('the crash is pushed', () => seen.find(({ state }) => state === 'crashed'))
      expect(crashed.reason).toMatch(/^[A-Z]/)
      expect(await driver.status(one.id)).toEqual(crashed)
      expect(driver.endpoint(one.id)).toBeUndefined()
      await driver.start(one)
      await isRunning(driver, one.id)
    })

    test('crashes in a row are counted until a person starts the instance, or that is left to the platform', async (context) => {
      const { driver, spec, crash } = await begin()
      const one = spec()
      const crashed = async () => {
        await isRunning(driver, one.id)
        await crash(one.id)
        return until('it has crashed', async () => {
          const status = await driver.status(one.id)
          return status.state === 'crashed' && status
        })
      }
      await driver.start(one)
      const { restart } = await crashed()
      if (!restart)
        return context.annotate(`${name}: not supported, a crashed instance waits for a person`).then(() => {})
      expect(restart).toEqual({ crashes: 1, at: expect.any(Number), safe: false })
      await driver.start({ ...one, again: true })
      expect((await crashed()).restart?.crashes).toBe(2)
      await driver.stop(one.id)
      await driver.start(one)
      expect((await crashed()).restart?.crashes).toBe(1)
    })

    test('in safe mode the editor answers and the state says so', async () => {
      const { driver, spec } = await begin()
      const one = { ...spec(), safe: true }
      await driver.start(one)
      await until('it is in safe mode', async () => (await stateOf(driver, one.id)) === 'safe', 10_000)
      expect((await askInstance(driver.endpoint(one.id)!, '/')).status).toBe(200)
    })

    test('memory outside of the heap counts: the limit ends the instance, says so, and leaves others alone', async (context) => {
      const { driver, spec, putFlows } = await begin()
      if (!driver.capabilities.enforcesMemory || !putFlows)
        return context.annotate(`${name}: not supported. ${driver.capabilities.gaps.join(' ')}`).then(() => {})
      const [greedy, modest] = [spec(), spec()]
      putFlows(greedy.id, codeFlow('const all = []; for (;;) all.push(Buffer.alloc(8_000_000, 1))'))
      putFlows(modest.id, codeFlow('msg.payload = "well"; return msg'))
      for (const one of [greedy, modest]) await driver.start(one)
      for (const one of [greedy, modest]) await isRunning(driver, one.id)
      void askInstance(driver.endpoint(greedy.id)!, '/do').catch(() => {})
      const ended = await until('it is ended', async () => {
        const status = await driver.status(greedy.id)
        return status.state === 'crashed' && status
      })
      expect(ended.reason).toBe(`Node-RED ran out of memory: its stack allows ${greedy.stack.memory} MB`)
      expect((await askInstance(driver.endpoint(modest.id)!, '/do')).text).toBe('well')
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

  describe(`${name}: files`, () => {
    const file = (path: string, text: string, mode = 0o600): InstanceFile => ({
      path,
      mode,
      content: Readable.from([Buffer.from(text)]),
    })

    test('are read as they were given, in the place of what was there, and go with their instance', async () => {
      const { driver, spec } = await begin()
      const { id } = spec()
      const read = async () => {
        const found: [string, number, string][] = []
        for await (const { path, mode, content } of driver.files(id))
          found.push([path, mode, Buffer.concat(await Array.fromAsync(content)).toString()])
        return found
      }
      expect(await read()).toEqual([])
      await driver.putFiles(id, Readable.from([file('old.txt', 'x')]))
      await driver.putFiles(id, Readable.from([file('data/note.txt', 'bread', 0o640), file('flour', '')]))
      expect(await read()).toEqual([
        ['data/note.txt', 0o640, 'bread'],
        ['flour', 0o600, ''],
      ])
      await driver.remove(id)
      expect(await read()).toEqual([])
    })

    test('outside of the folder of their instance are refused, and so are those of one that runs', async () => {
      const { driver, spec } = await begin()
      const one = spec()
      const put = (path: string) => driver.putFiles(one.id, Readable.from([file(path, 'x')]))
      for (const path of ['../out', '/etc/out']) await expect(put(path)).rejects.toMatchObject({ name: 'DriverError' })
      await driver.start(one)
      await expect(put('in')).rejects.toMatchObject({ name: 'DriverError' })
    })
  })

  describe(`${name}: modules`, () => {
    test('come beside a running instance, which a failure leaves as it is, and are put in by its next start', async (context) => {
      const { driver, spec, putFlows } = await begin()
      const one = spec()
      await driver.prepareModules(one, () => {})
      if (!putFlows) return context.annotate(`${name}: not supported, it has no Node-RED to load them`).then(() => {})
      putFlows(one.id, diceFlow())
      await driver.start(one)
      await isRunning(driver, one.id)
      const before = await driver.status(one.id)
      const wrong = { ...one, modules: { 'node-red-node-random': '^99.0.0' } }
      await expect(driver.prepareModules(wrong, () => {})).rejects.toMatchObject({ name: 'DriverError' })
      const right = { ...one, modules: diceModule }
      await driver.prepareModules(right, () => {})
      expect(await driver.status(one.id)).toEqual(before)
      expect((await askInstance(driver.endpoint(one.id)!, '/do')).status).toBe(404)
      await driver.stop(one.id)
      await expect(driver.start(wrong)).rejects.toMatchObject({ name: 'DriverError' })
      expect(await stateOf(driver, one.id)).toBe('stopped')
      expect(await driver.canKeepModules(wrong)).toBe(true)
      await driver.start({ ...wrong, keepModules: true })
      await isRunning(driver, one.id)
      await driver.stop(one.id)
      await driver.start(right)
      await isRunning(driver, one.id)
      await until('the module answers', async () => (await askInstance(driver.endpoint(one.id)!, '/do')).text === '7')
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
