import { describe, expect, test } from 'vitest'
import { describeFaults } from '../conformance.faults.ts'
import { describeDriver } from '../conformance.ts'
import { describePair } from '../conformance.pair.ts'
import type { InstanceSpec } from '../driver.ts'
import { askInstance } from '../testing/instance.http.ts'
import { createStubDriver } from './index.ts'

let count = 0
const spec = (): InstanceSpec => ({
  id: `instance-${(count += 1)}`,
  name: 'oven',
  teamId: 'team',
  stack: { nodered: '5.0.7', memory: 256 },
  platformUrl: 'http://platform.test',
  instanceUrl: 'http://instance.test',
  token: 'fft_token',
  client: { id: 'ffp_client', secret: 'secret' },
  credentialSecret: 'secret',
})

async function open() {
  const driver = createStubDriver()
  return {
    driver,
    spec,
    reopen: () => driver,
    crash: async (id: string) => driver.script.crash(id),
    close: () => driver.close(),
  }
}

describeDriver('stub', open)
describeFaults('stub', open)
describePair('stub', open)

describe('script of the stub', () => {
  test('held instances start when they are released, and one call can be made to fail', async () => {
    const driver = createStubDriver()
    const one = spec()
    driver.script.holdStarts()
    await driver.start(one)
    expect((await driver.status(one.id)).state).toBe('starting')
    driver.script.release()
    expect((await driver.status(one.id)).state).toBe('running')
    driver.script.failNext('stop')
    await expect(driver.stop(one.id)).rejects.toThrow('the test said so')
    await driver.stop(one.id)
    expect(driver.script.calls.map(({ operation }) => operation)).toEqual(['start', 'stop', 'stop'])
    await driver.close()
  })

  test('a crash is pushed with its reason and stays until the next start', async () => {
    const driver = createStubDriver()
    const one = spec()
    await driver.start(one)
    driver.script.crash(one.id, 'it broke')
    expect(await driver.status(one.id)).toEqual({ state: 'crashed', reason: 'it broke' })
    expect(driver.endpoint(one.id)).toBeUndefined()
    await driver.close()
  })

  test('its instances show a request as it arrived', async () => {
    const driver = createStubDriver()
    const one = spec()
    await driver.start(one)
    const reply = await askInstance(driver.endpoint(one.id)!, '/path?x=1', {
      body: { a: 1 },
      headers: { 'x-forwarded-for': '10.0.0.1' },
    })
    expect(JSON.parse(reply.text)).toMatchObject({
      id: one.id,
      method: 'POST',
      url: '/path?x=1',
      body: '{"a":1}',
      headers: { 'x-forwarded-for': '10.0.0.1' },
    })
    await driver.close()
  })
})
