import { expect, test } from 'vitest'
import type { InstanceStatus, Pair } from '../driver.ts'
import { checkStart, memberOf } from './start.check.ts'

/** Processes, scripted: these states one after the other, and no report of flows. */
const silent = (states: InstanceStatus['state'][]) =>
  ({
    members: async () => [
      {
        slot: 0,
        src: '57ab',
        state: states.length > 1 ? states.shift()! : states[0]!,
        reason: 'Node-RED ended unexpectedly',
      },
    ],
    serving: () => [],
    flows: async () => undefined,
  }) as unknown as Pair

test('a Node-RED that ends before its flows could be asked is refused at once, not after the time for slow flows', async () => {
  const begun = performance.now()
  const judged = memberOf(silent(['running', 'running', 'crashed']), 't-1', 0)
  const standard = {
    host: 'localhost',
    steadyMs: 0,
    setupMs: 0,
    before: 'none',
    bringsFlows: true,
    refusesErrors: false,
  } as const
  await expect(checkStart({ clock: Date }, { judged, ...standard, allowed: new Set<string>() })).rejects.toMatchObject({
    code: 'not_steady',
    message: 'Node-RED ended unexpectedly',
  })
  expect(performance.now() - begun).toBeLessThan(10_000)
})
