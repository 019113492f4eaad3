import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'forge-become-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const shows = file(
  'shows.mjs',
  `import { fstatSync } from 'node:fs'
  const isSocket = () => { try { return fstatSync(3).isSocket() } catch { return false } }
  console.log(JSON.stringify([...['MMAP', 'TRIM'].map((which) => process.env[\`MALLOC_\${which}_THRESHOLD_\`] ?? 'unset'), isSocket()]))`,
)
const become = join(import.meta.dirname, 'become.ts')
const starts = file(
  'starts.mjs',
  `import { become } from ${JSON.stringify(become)}\nawait become(${JSON.stringify(shows)})`,
)

/** The view of a process that begins with a socket as descriptor 3; `$$` is its id. */
function seen(before: string): unknown {
  const { MALLOC_MMAP_THRESHOLD_: _mmap, MALLOC_TRIM_THRESHOLD_: _trim, ...env } = process.env
  const text = execFileSync('sh', ['-c', `${before} exec "$0" "$1"`, process.execPath, starts], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    encoding: 'utf8',
  })
  return JSON.parse(text)
}

test('a server begins again to give back large pieces of memory, and to keep small ones', () =>
  expect(seen('')).toEqual(['1048576', '4194304', false]))

test('what whoever starts it has set stays', () =>
  expect(seen('MALLOC_MMAP_THRESHOLD_=77')).toEqual(['77', '4194304', false]))

test('a socket that was handed over stays open', () =>
  expect(seen('LISTEN_FDS=1 LISTEN_PID=$$')).toEqual(['unset', 'unset', true]))
