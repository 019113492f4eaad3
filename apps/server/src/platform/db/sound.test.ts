import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { damageOf } from './sound.ts'

test('a damaged page of the embedded database is found', async () => {
  const home = mkdtempSync(join(tmpdir(), 'forge-sound-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const database = await openDatabase({ home })
  await migrate(database)
  await database.close()
  expect(await damageOf(home)).toBeUndefined()
  const file = openSync(join(home, 'forge.db'), 'r+')
  writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, 4096)
  closeSync(file)
  expect(await damageOf(home)).toEqual(expect.any(String))
})
