import { LogEntry } from '@app/contract/instance-link'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRateLimit } from './logs.flood.ts'
import { openLog } from './logs.ts'

function begin() {
  const folder = mkdtempSync(join(tmpdir(), 'forge-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const entries = () =>
    readdirSync(folder)
      .sort()
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
      .map((line) => LogEntry.parse(JSON.parse(line)))
  return { folder, entries }
}

test('[NRLOG-05] an entry is on disk when write returns, and cursors only grow', () => {
  const { folder, entries } = begin()
  const log = openLog(folder, '0a1b')
  for (let n = 0; n < 50; n += 1) log.write('info', `line ${n}`)
  expect(entries()[0]).toEqual({ ts: expect.stringMatching(/^\d{17}$/), level: 'info', msg: 'line 0', src: '0a1b' })
  const cursors = entries().map(({ ts }) => ts)
  expect(new Set(cursors).size).toBe(50)
  expect(cursors).toEqual(cursors.toSorted())
  expect(log.recent(cursors[47]).map(({ msg }) => msg)).toEqual(['line 48', 'line 49'])
})

test('the log stays within its bounds, and the oldest lines go first', () => {
  const { folder, entries } = begin()
  const log = openLog(folder, '0a1b')
  // No message of this level is held back.
  for (let n = 0; n < 1_200; n += 1) log.write('fatal', `${n} ${'x'.repeat(20_000)}`)
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  expect(bytes).toBeLessThan(17 * 1024 * 1024)
  expect(entries().at(-1)?.msg).toMatch(/^1199 /)
  expect(entries()[0]?.msg).not.toMatch(/^0 /)
})

test('the next process goes on after the last entry, also behind a half written line', () => {
  const { folder } = begin()
  const first = openLog(folder, '0a1b')
  first.write('info', 'before')
  const [name] = readdirSync(folder)
  appendFileSync(join(folder, name!), '{"ts":"17')
  const second = openLog(folder, '0a1b')
  second.write('info', 'after')
  const [before, after] = second.recent()
  expect([before?.msg, after?.msg]).toEqual(['before', 'after'])
  expect(after!.ts > before!.ts).toBe(true)
})

test('a part of a flood of lines is left out, and a line in their place says how many', async () => {
  const { folder, entries } = begin()
  const log = openLog(folder, '0a1b')
  for (let n = 0; n < 5_000; n += 1) log.write('info', `${n} ${'x'.repeat(4_000)}`)
  log.write('fatal', 'why it ended')
  expect(entries().at(-1)?.msg).toBe('why it ended')
  const [marked] = entries().filter(({ level }) => level === 'warn')
  const kept = /^… (\d+) lines left out/.exec(marked?.msg ?? '')?.[1]
  expect(Number(kept)).toBeGreaterThan(2_500)
  expect(Number(kept)).toBeLessThan(4_000)
})

test('a flood is let through again at a rate that can be followed', () => {
  let now = 0
  const limit = createRateLimit(() => now)
  const passing = (lines: number) => Array.from({ length: lines }, () => limit.passes(100)).filter(Boolean).length
  expect(passing(30_000)).toBe(20_000)
  expect(limit.takeHeld()).toBe(10_000)
  now = 10_000
  expect(passing(60_000)).toBe(20_000)
  limit.takeHeld()
  now = 11_000
  expect(passing(10_000)).toBe(2_500)
})

test.each<[string, (path: string) => void]>([
  ['a link to a file of somebody else', (path) => symlinkSync('/etc/shadow', path)],
  ['a link to nowhere', (path) => symlinkSync('/nowhere', path)],
  ['a pipe', (path) => void execFileSync('mkfifo', [path])],
  ['a folder', (path) => mkdirSync(path)],
  ['a file that nobody may read', (path) => (writeFileSync(path, ''), chmodSync(path, 0))],
  ['a file far too long', (path) => writeFileSync(path, 'x'.repeat(2_000_000))],
  ['entries of another kind', (path) => writeFileSync(path, 'null\n5\n{"ts":7}\n{"ts":"now"}\n')],
  [
    'an entry of another time',
    (path) => writeFileSync(path, '{"ts":"99999999999999999","level":"a","msg":"b","src":"c"}'),
  ],
])('in the place of the newest file, %s keeps no log from going on', (_name, put) => {
  const { folder } = begin()
  openLog(folder, '0a1b').write('info', 'before')
  put(join(folder, '99999999999999990.ndjson'))
  const log = openLog(folder, '0a1b')
  expect(log.recent().map(({ msg }) => msg)).toEqual(['before'])
  log.write('info', 'after')
  expect(log.recent().map(({ msg }) => msg)).toEqual(['before', 'after'])
  const [, own = ''] = readdirSync(folder).sort()
  expect(JSON.parse(readFileSync(join(folder, own), 'utf8'))).toMatchObject({
    ts: expect.stringMatching(/^\d{17}$/),
    msg: 'after',
  })
})

test('what flows put in the folder gives way to new entries when the log is full', () => {
  const { folder } = begin()
  for (let n = 0; n < 40; n += 1) mkdirSync(join(folder, `000000000000000${n + 10}.ndjson`))
  openLog(folder, '0a1b').write('info', 'line')
  expect(readdirSync(folder).length).toBe(32)
})
