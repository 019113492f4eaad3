import { expect, test } from 'vitest'
import { longSteps } from './late.ts'

/** Runs both steps after `before` minutes; each of their parts takes as many as are given for the step. */
async function run(before: number, each: { 'node-red': number; journeys: number }, failing = 'none') {
  let clock = before
  const parts: string[] = []
  const steps = longSteps(() => clock)
  const stepped = (step: keyof typeof each) =>
    steps(step, async (part = 'all') => {
      parts.push(part)
      clock += each[step]
      return {
        ok: part !== failing,
        output: part === failing ? `${step} ${part} broke` : '',
        note: `${part} of ${step}`,
      }
    })
  return { outcomes: [await stepped('node-red'), await stepped('journeys')], parts, clock }
}

test('a machine that has time for everything runs all files of a step at once', async () => {
  const { parts, outcomes } = await run(12, { 'node-red': 12, journeys: 30 })
  expect(parts).toEqual(['all', 'all'])
  expect(outcomes[1]).toMatchObject({ ok: true, note: 'all of journeys' })
})

test('a slow one runs them part by part, all where there is time', async () => {
  const { parts, outcomes } = await run(18, { 'node-red': 5, journeys: 10 })
  expect(parts).toEqual(['1/4', '2/4', '3/4', '4/4', '1/4', '2/4', '3/4', '4/4'])
  expect(outcomes[0]!.note).toBe('1/4 of node-red; 2/4 of node-red; 3/4 of node-red; 4/4 of node-red')
})

test('a slower one leaves the last parts out, says so and ends in time; one part of each runs however late it is', async () => {
  const slower = await run(22, { 'node-red': 7, journeys: 13 })
  expect(slower.parts).toEqual(['1/4', '2/4', '3/4', '1/4', '2/4', '3/4'])
  expect(slower.clock).toBeLessThanOrEqual(82)
  expect(slower.outcomes[1]!.note).toMatch(/; 3 of 4 parts of the files, for want of time$/)
  expect((await run(60, { 'node-red': 15, journeys: 20 })).parts).toEqual(['1/4', '1/4'])
})

test('a part that fails is a step that fails, with what it printed; the parts after it run', async () => {
  const { outcomes, parts } = await run(18, { 'node-red': 5, journeys: 10 }, '2/4')
  expect(outcomes[0]).toMatchObject({ ok: false, output: 'node-red 2/4 broke' })
  expect(parts).toHaveLength(8)
})
