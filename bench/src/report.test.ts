import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { median, percentile, spread } from './figures.ts'
import { merged, readKept, type Section } from './kept.ts'
import { page } from './page.ts'
import { isMet, type Row, table, writeJson } from './report.ts'

const row = (value: number, target?: Row['target']): Row => ({
  name: 'reading',
  measured: 'one call',
  data: 'ten rows',
  value,
  unit: 'ms',
  ...(target ? { target } : {}),
})

test('a figure is judged by its target, and not at all without one', () => {
  expect(isMet(row(1, { is: 'at most', value: 1 }))).toBe(true)
  expect(isMet(row(1, { is: 'below', value: 1 }))).toBe(false)
  expect(isMet(row(39.9, { is: 'at least', value: 40 }))).toBe(false)
  expect(isMet(row(1))).toBeUndefined()
})

test('the table has a heading, aligned columns, a verdict in each row, and says of each what was measured on what', () => {
  const all = table([
    row(0.19876, { is: 'at most', value: 0.2 }),
    row(1234.5, { is: 'at most', value: 5 }),
    row(3),
  ]).split('\n')
  const lines = all.filter((line) => !line.startsWith(' '))
  expect(lines).toHaveLength(4)
  expect(all.filter((line) => line === '    one call; on ten rows')).toHaveLength(3)
  expect(lines[0]).toMatch(/^measure +value +target +met +note$/)
  expect(lines[1]).toMatch(/^reading +0\.199 ms +at most 0\.2 +yes$/)
  expect(lines[2]).toMatch(/^reading +1235 ms +at most 5 +NO$/)
  expect(lines[3]).toMatch(/^reading +3 ms +–$/)
  expect(new Set(lines.map((line) => line.search(/value|0\.199|1235|3 ms/))).size).toBe(1)
})

test('the JSON holds the rows with their verdicts and the machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-bench-'))
  try {
    const file = join(folder, 'deep', 'bench.json')
    writeJson(file, [row(2, { is: 'at most', value: 1 }), row(3)], { cores: 2 })
    const written = JSON.parse(readFileSync(file, 'utf8')) as { rows: object[] }
    expect(written).toMatchObject({
      machine: { cores: 2 },
      rows: [{ name: 'reading', value: 2, data: 'ten rows', met: false }, { met: null }],
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('percentiles are figures that were measured', () => {
  const figures = Array.from({ length: 100 }, (_, i) => 100 - i)
  expect([percentile(figures, 0.99), median(figures), percentile([7], 0.01)]).toEqual([99, 50, 7])
  expect(spread([0.2, 0.1234, 0.3])).toBe('0.123 to 0.3 in 3 rounds')
})

const section = (measure: string, ...rows: Row[]): Section => ({
  measure,
  measuredOn: '2026-11-23',
  speedSeconds: 1.234,
  rows,
})

test('the page tells the machine, and each figure with what was measured and when', () => {
  const rows = [row(1.5, { is: 'at most', value: 1 }), { ...row(3), note: 'a | b' }]
  const text = page({ machine: { cores: 2 }, sections: [section('requests', ...rows)] })
  expect(text).toContain('- cores: 2')
  expect(text).toContain('| reading | 1.5 ms | at most 1 ms | **no** | one call | ten rows |  | 2026-11-23, 1.23 s |')
  expect(text).toContain('| reading | 3 ms |  |  | one call | ten rows | a \\| b | 2026-11-23, 1.23 s |')
  expect(text).not.toContain('## What')
})

test('a new page keeps what was written by hand of the targets that are missed', () => {
  const of = (value: number) => ({ machine: {}, sections: [section('requests', row(value))] })
  const before = `${page(of(1))}\n## Measured since\n\nold\n\n## What misses its target, and why\n\n- **reading** waits.\n`
  const text = page(of(2), before)
  expect(text).toContain('| reading | 2 ms |')
  expect(text).toMatch(/\|\n\n## What misses its target, and why\n\n- \*\*reading\*\* waits\.\n$/)
  expect(text).not.toContain('old')
})

test('a run of some measures takes the place of their figures, and leaves those of others', () => {
  const former = ['requests', 'gone', 'deploy'].map((name) => section(name, row(1)))
  const now = merged(former, [section('deploy', row(2)), section('start', row(3))], ['start', 'requests', 'deploy'])
  expect(now.map(({ measure, rows: [one] }) => [measure, one?.value])).toEqual([
    ['start', 3],
    ['requests', 1],
    ['deploy', 2],
  ])
})

test('the documentation shows the figures that are written down', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/benchmarks.md'), 'utf8')
  expect(page(readKept(join(import.meta.dirname, '../figures.json')), text)).toBe(text)
})
