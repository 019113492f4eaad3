import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { trimOutput } from './output.ts'

test('what is printed past the log is cut, says so, and goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-output-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'output.log')
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND)
  writeSync(file, 'x'.repeat(1024 * 1024))
  await trimOutput(path)
  expect(statSync(path).size).toBe(1024 * 1024)
  writeSync(file, 'y')
  await trimOutput(path)
  writeSync(file, 'the end\n')
  closeSync(file)
  expect(readFileSync(path, 'utf8')).toBe('… 1048577 bytes left out\nthe end\n')
  await trimOutput(join(folder, 'none'))
})
