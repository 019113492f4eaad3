import { expect, test } from 'vitest'
import { lineDifference, withGaps, wordDifferences } from './line-difference.ts'

const told = (before: string, after: string) =>
  lineDifference(before, after).map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-' }[kind]}${text}`)

test.each([
  ['a\nb\nc', 'a\nb\nc', [' a', ' b', ' c']],
  ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
  ['a\nb', 'a\nb\nc', [' a', ' b', '+c']],
  ['a\nb\nc', 'b\nc', ['-a', ' b', ' c']],
  ['a\nb\na\nb', 'b\na', ['-a', ' b', ' a', '-b']],
  ['', 'x', ['-', '+x']],
])('%j becomes %j', (before, after, expected) => {
  expect(told(before, after)).toEqual(expected)
})

test('both texts can be made of what is told, also of very long ones', () => {
  const random = (seed: number, n: number) =>
    Array.from({ length: n }, (_, at) => String((at * at * seed + at) % 7)).join('\n')
  for (const [a, b] of [
    [random(3, 200), random(5, 180)],
    [random(3, 5_000), random(5, 5_000)],
  ] as const) {
    const lines = lineDifference(a, b)
    const of = (kind: string) => lines.filter((line) => line.kind === 'same' || line.kind === kind)
    const text = (kind: string) =>
      of(kind)
        .map((line) => line.text)
        .join('\n')
    expect(text('removed')).toBe(a)
    expect(text('added')).toBe(b)
  }
})

test('unchanged lines far from a change are counted, not shown', () => {
  const lines = Array.from({ length: 9 }, (_, at) => String(at))
  const changed = lines.with(4, 'x')
  expect(
    withGaps(lineDifference(lines.join('\n'), changed.join('\n')), 1).map((part) =>
      part.kind === 'gap' ? `(${part.lines.length})` : part.text,
    ),
  ).toEqual(['(3)', '3', '4', 'x', '5', '(3)'])
})

test('a line has its number in each text', () => {
  expect(lineDifference('a\nb\nc', 'a\nx\ny\nc').map((line) => [line.old, line.new])).toEqual([
    [1, 1],
    [2, undefined],
    [undefined, 2],
    [undefined, 3],
    [3, 4],
  ])
})

test('the words that differ are marked in lines that replace each other', () => {
  const parts = withGaps(lineDifference('const limit = 3 // degrees\nsame', 'const limit = 5 // degrees\nsame'))
  const marked = [...wordDifferences(parts).values()].map((pieces) =>
    pieces.map(({ text, marked: is }) => (is ? `[${text}]` : text)).join(''),
  )
  expect(marked).toEqual(['const limit = [3] // degrees', 'const limit = [5] // degrees'])
  expect(wordDifferences(lineDifference('one two three', 'entirely different text')).size).toBe(0)
  expect(wordDifferences(lineDifference('one\ntwo', 'one 1')).size).toBe(0)
})

test('two changes far apart in 5,000 lines of code are two changes', () => {
  const code = Array.from({ length: 5_000 }, (_, at) => `line ${at}`)
  const lines = lineDifference(code.join('\n'), code.with(3, 'x').with(4_990, 'y').join('\n'))
  expect(lines.filter(({ kind }) => kind !== 'same').map(({ text }) => text)).toEqual(['line 3', 'x', 'line 4990', 'y'])
})

test('every second of 5,000 lines changed, and some moved, is still told line by line', () => {
  const code = Array.from({ length: 5_000 }, (_, at) => `line ${at}`)
  const changed = code.map((line, at) => (at % 2 === 0 ? `${line} changed` : line))
  const lines = lineDifference(code.join('\n'), [...changed.slice(0, -1), 'line 1', changed.at(-1)!].join('\n'))
  expect(lines.filter(({ kind }) => kind === 'removed')).toHaveLength(2_500)
  expect(lines.filter(({ kind }) => kind === 'added')).toHaveLength(2_501)
})
