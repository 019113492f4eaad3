import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseUrl } from '../../../testing/index.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { dropBlobs, keepBlob, packBlob, readBlob } from './blobs.ts'

let home: string
let database: Database
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'forge-blobs-'))
  database = await openDatabase({ home, url: await databaseUrl() })
  await migrate(database)
})
afterAll(async () => {
  await database.close()
  await rm(home, { recursive: true, force: true })
})

const rows = () => database.read.selectFrom('blobs').select(['size', 'refs']).orderBy('size').execute()

test('a text kept ten times takes the room of one and is there until the last of them is dropped', async () => {
  const flows = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, type: 'inject', name: 'ä' })))
  const packed = await packBlob(flows)
  await database.transact(async (tx) => {
    for (let i = 0; i < 10; i++) await keepBlob(tx, packed)
  })
  expect(await rows()).toEqual([{ size: Buffer.byteLength(flows), refs: 10 }])
  expect(packed.body.length).toBeLessThan(flows.length / 4)
  await database.transact((tx) => dropBlobs(tx, Array(9).fill(packed.hash)))
  expect(await readBlob(database.read, packed.hash)).toBe(flows)
  await database.transact((tx) => dropBlobs(tx, [packed.hash]))
  expect(await rows()).toEqual([])
  await expect(readBlob(database.read, packed.hash)).rejects.toThrow(packed.hash)
})

test('texts dropped together are counted apart', async () => {
  const [a, b] = [await packBlob('a'), await packBlob('bb')]
  await database.transact(async (tx) => {
    for (const packed of [a, a, b, b]) await keepBlob(tx, packed)
  })
  await database.transact((tx) => dropBlobs(tx, [a.hash, b.hash, a.hash]))
  expect(await rows()).toEqual([{ size: 2, refs: 1 }])
  await database.transact((tx) => dropBlobs(tx, [b.hash]))
})
