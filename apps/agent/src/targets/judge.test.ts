import type { Driver, InstanceStatus } from '@app/drivers'
import { expect, test } from 'vitest'
import { judge } from './judge.ts'

/** A driver, scripted: these states one after the other, and no report of flows. */
const silent = (states: InstanceStatus['state'][]) =>
  ({
    status: async () => ({
      state: states.length > 1 ? states.shift()! : states[0]!,
      reason: 'Node-RED ended unexpectedly',
    }),
    pair: { flows: async () => undefined },
  }) as unknown as Driver

test('a Node-RED that ends before its flows could be asked is refused at once, not after the time for slow flows', async () => {
  const begun = performance.now()
  await expect(judge(silent(['running', 'crashed']), 't-1', 0)).rejects.toMatchObject({
    code: 'not_steady',
    message: 'Node-RED ended unexpectedly',
  })
  expect(performance.now() - begun).toBeLessThan(10_000)
})
