import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pathsOf } from './paths.ts'
import { readRecord, writeRecord } from './record.store.ts'

const store = new URL('record.store.ts', import.meta.url).href
/** Writes a file in a process that may write 8 to 32 KB to one file, by the shell. Returns its code of error. */
const writeInLittleRoom = (path: string, text: string) => {
  const program = `import { writeWhole } from '${store}'
    try { writeWhole(process.argv[1], 'x'.repeat(Number(process.argv[2]))); console.log('done') }
    catch (error) { console.log(error.code) }`
  const args = ['-c', 'ulimit -f 16; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', program]
  return execFileSync('sh', [...args, path, `${text.length}`], { encoding: 'utf8' }).trim()
}

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'forge-whole-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a file that does not fit leaves the former one whole, and nothing else', () => {
  const path = join(ownFolder(), 'state.json')
  writeFileSync(path, 'former')
  expect(writeInLittleRoom(path, 'x'.repeat(100_000))).toBe('EFBIG')
  expect(readFileSync(path, 'utf8')).toBe('former')
  expect(readdirSync(dirname(path))).toEqual(['state.json'])
  expect(writeInLittleRoom(path, 'x'.repeat(100))).toBe('done')
  expect(readFileSync(path, 'utf8')).toBe('x'.repeat(100))
})

test('a process that an earlier version started on trial is a candidate', () => {
  const paths = pathsOf(ownFolder(), 'oven')
  mkdirSync(paths.folder, { recursive: true })
  const record = { identity: '1', startedAt: 1, memory: 256, controlToken: 'token', socketDir: paths.socketDir }
  writeRecord(paths, { version: 1, id: 'oven', ...record })
  const written = JSON.parse(readFileSync(paths.record, 'utf8')) as object
  writeFileSync(paths.record, JSON.stringify({ ...written, part: 'beside' }))
  expect(readRecord(paths, 'oven')?.part).toBe('candidate')
})
