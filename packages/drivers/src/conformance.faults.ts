import { describe, expect, onTestFinished, test, type TestContext } from 'vitest'
import type { ConformanceHarness } from './conformance.ts'
import { codeFlow, nodeFlow, shellFlow } from './testing/flows.ts'
import { askInstance } from './testing/instance.http.ts'
import { until } from './testing/until.ts'

const greeting = codeFlow('msg.payload = "well"; return msg')

/**
 * The suite of what real flows do wrong, and of how far a driver keeps it from others. What a driver cannot do by its
 * capabilities, a test says aloud, and all of them do where there are no real flows.
 */
export function describeFaults(
  name: string,
  open: () => Promise<ConformanceHarness & { close(): Promise<void> }>,
): void {
  async function begin() {
    const harness = await open()
    onTestFinished(() => harness.close())
    const { driver, spec } = harness
    return {
      ...harness,
      /** Starts an instance with these flows and waits until it runs. */
      async run(flows: object[]) {
        const one = spec()
        harness.putFlows?.(one.id, flows)
        await driver.start(one)
        await until('it runs', async () => (await driver.status(one.id)).state === 'running')
        return { ...one, endpoint: driver.endpoint(one.id)! }
      },
    }
  }
  type Begun = Awaited<ReturnType<typeof begin>>

  async function isAble(context: TestContext, { driver, putFlows }: Begun, can = true): Promise<boolean> {
    if (can && putFlows) return true
    await context.annotate(`${name}: not supported. ${driver.capabilities.gaps.join(' ')}`)
    return false
  }
  const crashed = ({ driver }: Begun, id: string) =>
    until('it has crashed', async () => {
      const status = await driver.status(id)
      return status.state === 'crashed' && status
    })

  describe(`${name}: what flows do wrong`, () => {
    test('a crash loop is counted over platforms with growing delays, and ends in safe mode', async (context) => {
      const begun = await begin()
      if (!(await isAble(context, begun, begun.driver.capabilities.outlivesPlatform))) return
      const { endpoint: _, ...one } = await begun.run(greeting)
      let { driver } = begun
      const waits: number[] = []
      for (let crashes = 1; crashes <= 5; crashes += 1) {
        const killedAt = Date.now()
        await begun.crash(one.id)
        const status = await crashed({ ...begun, driver }, one.id)
        expect(status.restart).toMatchObject({ crashes, safe: crashes === 5 })
        waits.push(Math.round((status.restart!.at - killedAt) / 1000))
        // Another platform, which knows only what is on record.
        await driver.close()
        driver = begun.reopen()
        await driver.adopt()
        expect(await driver.status(one.id)).toEqual(status)
        await driver.start({ ...one, again: true, safe: status.restart!.safe })
        if (crashes < 5) await until('it runs', async () => (await driver.status(one.id)).state === 'running')
      }
      const spread = [0, 10, 20, 40, 80].map((seconds) => [seconds * 0.75 - 1, seconds * 1.25 + 2])
      for (const [n, [least, most]] of spread.entries()) {
        expect(waits[n]).toBeGreaterThanOrEqual(least!)
        expect(waits[n]).toBeLessThanOrEqual(most!)
      }
      const safe = await until('it is in safe mode', async () => {
        const status = await driver.status(one.id)
        return status.state === 'safe' && status
      })
      expect(safe.reason).toContain('crashed 5 times in a row (Node-RED ended unexpectedly)')
    })

    test('a flow that never yields is noticed within 30 s, told with a reason, and ended by force, as is one that will not end; others go on', {
      timeout: 60_000,
    }, async (context) => {
      const begun = await begin()
      if (!(await isAble(context, begun))) return
      const { driver, run } = begun
      const well = await run(greeting)
      const stubborn = await run(nodeFlow(`process.exit = () => {}; process.on('SIGTERM', () => {}); return msg`))
      expect((await askInstance(stubborn.endpoint, '/do')).status).toBe(200)
      const isStubbornThere = await begun.presence!(stubborn.id)
      const ended = driver.stop(stubborn.id)
      const { id, endpoint } = await run(codeFlow('for (;;) {}'))
      const isThere = await begun.presence!(id)
      const from = Date.now()
      void askInstance(endpoint, '/do').catch(() => {})
      const hung = await until(
        'it is noticed',
        async () => {
          const status = await driver.status(id)
          return status.state === 'unknown' && status
        },
        30_000,
      )
      expect(hung.reason).toContain('endless loop')
      expect(hung.versions?.['node-red']).toBeDefined()
      const usage = (await driver.usage(id))!
      expect(usage.hungSince).toBeGreaterThan(from - 10_000)
      expect([usage.cpuMs > 0, usage.memoryMb > 0]).toEqual([true, true])
      expect((await driver.logs(id, { limit: 1 })).length).toBe(1)
      expect((await askInstance(well.endpoint, '/do')).text).toBe('well')
      expect([isThere(), (await driver.stop(id), isThere())]).toEqual([true, false])
      await ended
      expect(isStubbornThere()).toBe(false)
    })

    test('programs without end are stopped by the limit, and all of them are gone with the instance', async (context) => {
      const begun = await begin()
      if (!(await isAble(context, begun, begun.driver.capabilities.limitsProcesses))) return
      const { driver, run } = begun
      const running = () => begun.programs!('sleep 61.125')
      const well = await run(greeting)
      // Bounded by itself as well, should the limit not hold.
      const { id, endpoint } = await run(shellFlow('for n in $(seq 400); do sleep 61.125 & done'))
      void askInstance(endpoint, '/do').catch(() => {})
      await until('the limit is reached', () => running() > 200)
      expect(running()).toBeLessThan(256)
      expect((await askInstance(well.endpoint, '/do')).text).toBe('well')
      await driver.stop(id)
      expect(running()).toBe(0)
      expect((await askInstance(well.endpoint, '/do')).text).toBe('well')
    })

    test.for(['stop', 'crash'])(
      'programs that left the session, cleared their environment and ignore SIGTERM are gone after a %s',
      async (how, context) => {
        const begun = await begin()
        if (!(await isAble(context, begun, begun.driver.capabilities.endsDescendants))) return
        const program = `/bin/sleep 61.${how === 'stop' ? 5 : 75}`
        const { id, endpoint } = await begun.run(
          shellFlow(`env -i setsid sh -c "trap '' TERM HUP; ${program} & ${program}" > /dev/null 2>&1 &`),
        )
        await askInstance(endpoint, '/do')
        await until('they run', () => begun.programs!(program) === 2)
        if (how === 'stop') await begun.driver.stop(id)
        else {
          await begun.crash(id)
          await crashed(begun, id)
        }
        expect(begun.programs!(program)).toBe(0)
      },
    )

    test('a flood of log lines stays within its bounds, says what is missing, and leaves others alone', async (context) => {
      const begun = await begin()
      if (!(await isAble(context, begun))) return
      const { driver, run } = begun
      const well = await run(greeting)
      const { id, endpoint } = await run(
        codeFlow(`const line = 'x'.repeat(10_000), end = Date.now() + 2_000
        const flood = () => { for (let n = 0; n < 200; n += 1) node.warn(line); if (Date.now() < end) setTimeout(flood, 1) }
        flood(); return msg`),
      )
      await askInstance(endpoint, '/do')
      const entry = await until('it is said', async () =>
        (await driver.logs(id, { limit: 1000 })).find(({ msg }) => msg.includes('lines left out')),
      )
      expect(entry.level).toBe('warn')
      expect(begun.logBytes!(id)).toBeLessThan(17 * 1024 * 1024)
      expect((await askInstance(well.endpoint, '/do')).text).toBe('well')
    })

    test('a flow reads no file of another instance', async (context) => {
      const begun = await begin()
      if (!(await isAble(context, begun, begun.driver.capabilities.isolatesInstances))) return
      const owner = await begun.run(shellFlow('echo private > mark; cat mark; pwd'))
      const [content, folder] = (await askInstance(owner.endpoint, '/do')).text.trim().split('\n')
      expect(content).toBe('private')
      const other = await begun.run(shellFlow(`cat ${folder}/mark; echo end`))
      expect((await askInstance(other.endpoint, '/do')).text.trim()).toBe('end')
    })
  })
}
