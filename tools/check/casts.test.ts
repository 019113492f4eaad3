import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
/** A reason stands at most so many lines above its cast. */
const near = 5

type Find = (path: string, text: string) => string[]

/** The casts to never of a source without a comment above them, by line. */
const unexplained: Find = (path, text) => {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    const above = lines.slice(Math.max(0, at - near), at)
    return /\bas never\b/.test(line) && !above.some((one) => /^\s*(\/\/|\/?\*)|: \/\/ /.test(one))
      ? `${path}:${at + 1}`
      : []
  })
}

/** The JSON texts of a source that are said to have a type without being judged, by line. */
const unjudged: Find = (path, text) =>
  text.split('\n').flatMap((line, at) => (/JSON\.parse\(.*\) as (?!unknown\b)/.test(line) ? `${path}:${at + 1}` : []))

/** Everything that is found in the sources of these folders, without tests and their tools. */
function inSources(find: Find, ...folders: string[]): string[] {
  const listed = execFileSync('git', ['ls-files', ...folders], { cwd: root, encoding: 'utf8' })
  const sources = listed.split('\n').filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|\/testing\//.test(path))
  const there = sources.filter((path) => existsSync(join(root, path)))
  expect(there.length).toBeGreaterThan(500)
  return there.flatMap((path) => find(path, readFileSync(join(root, path), 'utf8')))
}

test('a cast to never, which no compiler judges, has its reason above it', () => {
  expect(unexplained('a.ts', 'const a = 1\nconst b = a as never\n')).toEqual(['a.ts:2'])
  expect(unexplained('a.ts', '// Nobody declares it.\nconst b = a as never\n')).toEqual([])
  expect(inSources(unexplained, 'apps', 'packages', 'tools', 'bench')).toEqual([])
})

test('features of the server read JSON texts by a schema', () => {
  expect(unjudged('a.ts', 'const a = JSON.parse(row.body) as Body\n')).toEqual(['a.ts:1'])
  expect(unjudged('a.ts', 'const a = JSON.parse(row.body) as unknown\n')).toEqual([])
  const ofTheStandIn = 'apps/server/src/features/billing/providers/test.provider.ts'
  const found = inSources(unjudged, 'apps/server/src/features')
  expect(found.filter((place) => !place.startsWith(ofTheStandIn))).toEqual([])
})
