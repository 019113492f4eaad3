import { describe, expect, onTestFinished, test } from 'vitest'
import { askInstance } from '../../testing/instance.http.ts'
import { openLocal, runs } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

const endless = [
  { id: 'tab', type: 'tab', label: 'Flow' },
  { id: 'in', z: 'tab', type: 'http in', url: '/do', method: 'get', wires: [['fn']] },
  { id: 'fn', z: 'tab', type: 'function', func: 'node.warn("round and round"); for (;;) {}', wires: [] },
]

describe('what an instance uses', () => {
  test('is known while it runs, and while a flow lets nothing else run', { timeout: 60_000 }, async () => {
    const local = await openLocal()
    onTestFinished(() => local.close())
    const { driver, spec, platform } = local
    const one = spec()
    expect(await driver.usage(one.id)).toBeUndefined()
    platform.stored.set(`${one.id}/flows`, endless)
    await driver.start(one)
    await runs(driver, one.id)
    const healthy = await until('its event loop beats', async () => {
      const usage = await driver.usage(one.id)
      return usage?.eventLoop && usage
    })
    expect(healthy).not.toHaveProperty('hungSince')
    expect(healthy.memoryMb).toBeGreaterThan(40)
    expect(healthy.eventLoop!.busy).toBeLessThan(0.9)

    const from = Date.now()
    void askInstance(driver.endpoint(one.id)!, '/do').catch(() => {})
    const hung = await until('it is seen', async () => (await driver.usage(one.id))?.hungSince, 30_000)
    expect(Math.abs(hung - from)).toBeLessThan(10_000)
    const meanwhile = (await driver.usage(one.id))!
    expect(meanwhile.cpuMs - healthy.cpuMs).toBeGreaterThan(1_000)
    expect(meanwhile.memoryMb).toBeGreaterThan(40)
    expect((await driver.status(one.id)).versions?.['node-red']).toBe('5.0.7')
    expect((await driver.logs(one.id, { limit: 1 }))[0]?.msg).toContain('round and round')
    await driver.stop(one.id)
    expect(await driver.usage(one.id)).toBeUndefined()
  })
})
