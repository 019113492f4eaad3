import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { command, runSteps, type Step, stepsFor } from './steps.ts'

let lines: string[]
beforeEach(() => {
  lines = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
})
afterEach(() => vi.restoreAllMocks())

const good = { ok: true, output: 'quiet' }
const bad = { ok: false, output: 'the reason' }

test('at most so many run at once, and each waits for what it comes after', async () => {
  let active = 0
  let most = 0
  const order: string[] = []
  const step = (name: string, more?: Partial<Step>): Step => ({
    name,
    run: async () => {
      most = Math.max(most, ++active)
      order.push(name)
      await pause(5)
      active--
      return good
    },
    ...more,
  })
  await runSteps([step('a'), step('last', { after: ['c'] }), step('b'), step('c')], 2)
  expect(most).toBe(2)
  expect(order).toEqual(['a', 'b', 'c', 'last'])
})

test('a failed step shows its output, stops what needs it, and not what only comes after it', async () => {
  const ran = vi.fn(async () => good)
  const results = await runSteps(
    [
      { name: 'build', run: async () => bad },
      { name: 'journeys', run: ran, needs: ['build'] },
      { name: 'rest', run: async () => good, after: ['build'] },
    ],
    2,
  )
  expect(results.map(({ name, ok }) => [name, ok])).toEqual([
    ['build', false],
    ['journeys', false],
    ['rest', true],
  ])
  expect(ran).not.toHaveBeenCalled()
  expect(lines.join('\n')).toContain('the reason')
  expect(lines.join('\n')).toContain('Not run, because build failed.')
  expect(lines.join('\n')).not.toContain('quiet')
})

test('a step that throws has failed', async () => {
  const [result] = await runSteps([{ name: 'x', run: () => Promise.reject(new Error('broken')) }], 1)
  expect(result).toMatchObject({ ok: false })
  expect(result?.output).toContain('broken')
})

test('a program that does not end is stopped together with what it started', async () => {
  // The inner program holds the output open, so the call could not come back while it lives.
  const result = await command('sh', ['-c', 'sleep 77 & wait'], { minutes: 0.005 })
  expect(result.ok).toBe(false)
  expect(result.output).toContain('Not finished after')
})

test('a program that does not exist is a failure', async () => {
  expect(await command('no-such-program', [])).toMatchObject({ ok: false })
})

test('chosen steps bring those that they need, and wait for no other', () => {
  const all: Step[] = [
    { name: 'packages', run: async () => good },
    { name: 'check', run: async () => good },
    { name: 'build', run: async () => good, after: ['check'] },
    { name: 'journeys', run: async () => good, needs: ['packages', 'build'], after: ['check'] },
  ]
  const chosen = stepsFor(all, ['journeys'])
  expect(chosen.map(({ name }) => name)).toEqual(['packages', 'build', 'journeys'])
  expect(chosen.flatMap(({ after }) => after)).toEqual([])
})
