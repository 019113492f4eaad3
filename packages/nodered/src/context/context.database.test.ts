import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openContext } from './context.database.ts'

let userDir: string
beforeEach(() => {
  userDir = mkdtempSync(join(tmpdir(), 'forge-context-'))
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(userDir, { recursive: true, force: true })
})

const day = 24 * 3_600_000
const put = (context: ReturnType<typeof openContext>, scope: string, value = '1') =>
  context.write(scope, () => [{ key: 'n', value }])
const scopesOf = (context: ReturnType<typeof openContext>) => context.report().entries.map(({ scope }) => scope)

test('the context of a node that was deleted stays for 30 days, and for good when the node comes back', () => {
  const context = openContext({ userDir })
  for (const scope of ['global', 'tab', 'node:tab', 'gone:tab', 'back:tab']) put(context, scope)
  context.clean(['tab', 'node'])
  vi.setSystemTime(Date.now() + 29 * day)
  context.clean(['tab', 'node', 'back'])
  expect(scopesOf(context)).toHaveLength(5)
  vi.setSystemTime(Date.now() + 2 * day)
  context.clean(['tab', 'node'])
  expect(scopesOf(context).toSorted()).toEqual(['back:tab', 'global', 'node:tab', 'tab'])
  expect(context.report().bytes).toBe(8)
  context.close()
})

test('a process on trial counts nothing as unused until it serves', () => {
  const serving = openContext({ userDir })
  const trial = openContext({ userDir, isOnTrial: true })
  put(serving, 'old:tab')
  trial.clean(['tab', 'new'])
  vi.setSystemTime(Date.now() + 31 * day)
  // Had the first one counted, this would delete it.
  const second = openContext({ userDir, isOnTrial: true })
  second.clean(['tab', 'new'])
  second.release()
  expect(scopesOf(serving)).toEqual(['old:tab'])
  vi.setSystemTime(Date.now() + 31 * day)
  second.clean(['tab', 'new'])
  expect(scopesOf(serving)).toEqual([])
  for (const one of [serving, trial, second]) one.close()
})

test('a change is made whole or not at all, and what makes it smaller goes through beyond the limit', () => {
  const context = openContext({ userDir })
  const big = JSON.stringify('x'.repeat(900_000))
  put(context, 'global', big)
  context.setLimit(0.5)
  const both = [
    { key: 'm', value: '1' },
    { key: 'o', value: big },
  ]
  expect(() => context.write('global', () => both)).toThrow(/full/)
  expect(context.keys('global')).toEqual(['n'])
  put(context, 'global', JSON.stringify('x'.repeat(800_000)))
  expect(() => context.write('global', () => [{ key: 'k'.repeat(257), value: '1' }])).toThrow('at most 256 characters')
  expect(context.delete({})).toBe(1)
  expect(context.report()).toMatchObject({ count: 0, bytes: 0 })
  context.close()
})

test('a file that is no database is an error at each use, and other instances of it go on', () => {
  const context = openContext({ userDir })
  put(context, 'global')
  context.close()
  writeFileSync(join(userDir, 'context/persistent.db'), 'not a database, but some text instead of it')
  expect(() => context.read('global', 'n')).toThrow(/not a database/)
  expect(() => put(context, 'global')).toThrow(/not a database/)
})

test('processes on different machines share the file without memory of one machine, also one that was on a single one before', () => {
  const alone = openContext({ userDir })
  put(alone, 'global', '1')
  alone.close()
  const [one, other] = [0, 1].map(() => openContext({ userDir, isAcrossMachines: true })) as [
    typeof alone,
    typeof alone,
  ]
  for (const [at, context] of [one, other, one, other].entries()) put(context, `flow${at}`, `${at}`)
  expect(scopesOf(one).toSorted()).toEqual(['flow0', 'flow1', 'flow2', 'flow3', 'global'])
  expect(scopesOf(other)).toEqual(scopesOf(one))
  expect(readdirSync(join(userDir, 'context'))).toEqual(['persistent.db'])
  for (const context of [one, other]) context.close()
})
