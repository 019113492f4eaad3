import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const store = new URL('record.store.ts', import.meta.url).href
/** Writes a file in a process that may write 8 to 32 KB to one file, by the shell. Returns its code of error. */
const writeInLittleRoom = (path: string, text: string) => {
  const program = `import { writeWhole } from '${store}'
    try { writeWhole(process.argv[1], 'x'.repeat(Number(process.argv[2]))); console.log('done') }
    catch (error) { console.log(error.code) }`
  const args = ['-c', 'ulimit -f 16; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', program]
  return execFileSync('sh', [...args, path, `${text.length}`], { encoding: 'utf8' }).trim()
}

test('a file that does not fit leaves the former one whole, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-whole-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'state.json')
  writeFileSync(path, 'former')
  expect(writeInLittleRoom(path, 'x'.repeat(100_000))).toBe('EFBIG')
  expect(readFileSync(path, 'utf8')).toBe('former')
  expect(readdirSync(folder)).toEqual(['state.json'])
  expect(writeInLittleRoom(path, 'x'.repeat(100))).toBe('done')
  expect(readFileSync(path, 'utf8')).toBe('x'.repeat(100))
})
