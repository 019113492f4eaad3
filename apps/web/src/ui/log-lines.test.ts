import { expect, test } from 'vitest'
import { filterLevel, findMatches, type LogLine, logTime, segmentsOf, toText } from './log-lines.ts'

const line = (level: string, msg = level): LogLine => ({ ts: 1_700_000_000_000, level, msg })
const lines = ['trace', 'debug', 'info', 'system', 'warn', 'error', 'fatal'].map((level) => line(level))
const kept = (level: 'all' | 'info' | 'warn' | 'error') => filterLevel(lines, level).map((each) => each.level)

test('a level keeps itself and what is worse; an unknown level counts as info', () => {
  expect(kept('info')).toEqual(['info', 'system', 'warn', 'error', 'fatal'])
  expect(kept('warn')).toEqual(['warn', 'error', 'fatal'])
  expect(kept('error')).toEqual(['error', 'fatal'])
  expect(filterLevel(lines, 'all')).toBe(lines)
})

test('a search finds lines whatever the case, also where a colour changes inside the word', () => {
  const all = [line('info', 'Modbus up'), line('info', 'mqtt'), line('info', 'mod\u001b[31mbus\u001b[0m down')]
  expect(findMatches(all, 'MODBUS')).toEqual([0, 2])
  expect(findMatches(all, '')).toEqual([])
})

test('a match is marked across runs of different looks', () => {
  expect(segmentsOf('mod\u001b[31mbus\u001b[0m down', 'modbus')).toEqual([
    { text: 'mod', style: '', mark: true, at: 0 },
    { text: 'bus', style: 'text-bad-text', mark: true, at: 3 },
    { text: ' down', style: '', mark: false, at: 6 },
  ])
})

test('every occurrence in a line is marked', () => {
  const marked = segmentsOf('a-b-a', 'a').filter((part) => part.mark)
  expect(marked.map((part) => part.at)).toEqual([0, 4])
})

test('a time with a sequence behind it is read as milliseconds', () => {
  expect(logTime('17000000000010007')).toBe(1_700_000_000_001)
  expect(logTime(5)).toBe(5)
})

test('the download names time, level and replica, without colours', () => {
  const text = toText([{ ...line('info', '\u001b[32mup\u001b[0m'), src: 'a1b2' }])
  expect(text).toBe('2023-11-14T22:13:20.000Z info [a1b2] up\n')
})
