import { expect, test } from 'vitest'
import { lineDifference, withGaps } from './line-difference.ts'

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
      part.kind === 'gap' ? `(${part.count})` : part.text,
    ),
  ).toEqual(['(3)', '3', '4', 'x', '5', '(3)'])
})
