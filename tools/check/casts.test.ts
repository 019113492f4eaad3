import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
/** A reason stands at most so many lines above its cast. */
const near = 5

/** The casts to never of a source without a comment above them, by line. */
function unexplained(path: string, text: string): string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    const above = lines.slice(Math.max(0, at - near), at)
    return /\bas never\b/.test(line) && !above.some((one) => /^\s*(\/\/|\/?\*)|: \/\/ /.test(one))
      ? `${path}:${at + 1}`
      : []
  })
}

test('a cast to never, which no compiler judges, has its reason above it', () => {
  expect(unexplained('a.ts', 'const a = 1\nconst b = a as never\n')).toEqual(['a.ts:2'])
  expect(unexplained('a.ts', '// Nobody declares it.\nconst b = a as never\n')).toEqual([])
  const listed = execFileSync('git', ['ls-files', 'apps', 'packages', 'tools', 'bench'], {
    cwd: root,
    encoding: 'utf8',
  })
  const sources = listed.split('\n').filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|\/testing\//.test(path))
  const there = sources.filter((path) => existsSync(join(root, path)))
  expect(there.length).toBeGreaterThan(1_000)
  expect(there.flatMap((path) => unexplained(path, readFileSync(join(root, path), 'utf8')))).toEqual([])
})
