import { expect, test } from 'vitest'
import { judgeSizes } from './sizes.ts'

const files = (...lines: number[]) => lines.map((count, index) => ({ path: `src/${index}.ts`, lines: count }))

test('within the budgets nothing is said', () => {
  expect(judgeSizes(files(10, 80, 300))).toEqual({ median: 80, p95: 300, max: 300, problems: [] })
})

test('each broken budget is named', () => {
  expect(judgeSizes(files(81, 81, 81)).problems).toEqual(['median is 81 lines; it may be 80'])
  expect(judgeSizes(files(1, 1, 301)).problems).toEqual(['p95 is 301 lines; it may be 300'])
  const one = [...files(...Array(99).fill(1)), { path: 'src/long.ts', lines: 501 }]
  expect(judgeSizes(one).problems).toEqual(['src/long.ts has 501 lines; at most 500 are allowed'])
})

test('tests only have the limit; migrations and generated files have none', () => {
  const around = [
    { path: 'src/a.test.ts', lines: 499 },
    { path: 'apps/server/testing/start.ts', lines: 499 },
    { path: 'apps/server/migrations/0001-a.ts', lines: 900 },
    { path: 'apps/web/src/routes.gen.ts', lines: 900 },
  ]
  expect(judgeSizes([...files(10), ...around])).toMatchObject({ max: 10, problems: [] })
  expect(judgeSizes([{ path: 'src/a.test.ts', lines: 501 }]).problems).toHaveLength(1)
})
