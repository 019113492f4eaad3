import type { Driver } from '@app/drivers'
import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { masterKey } from '../../platform/crypto.ts'
import { openSnapshot, type Snapshot } from '../../platform/db/snapshot.ts'
import type { BackupRules } from '../../platform/features/feature.ts'
import { seal } from '../../platform/sealed/sealed.ts'
import { provenanceHere } from '../hosting/index.ts'
import type { Contents, Entry } from './archive.entries.ts'
import { carry } from './backup.tables.ts'

export interface BackupSource {
  home: string
  databaseUrl?: string | undefined
  driver: Driver
  masterKey: Buffer
  version: string
  rules: BackupRules
}

export interface Told {
  text: string
  done?: number
  total?: number
}

/**
 * Writes a back-up into `file`, whole or not at all, while everything goes on: the database as it is at one moment, then
 * the files of the instances as they are when their turn comes. @throws Error when the disk or the database fails.
 */
export async function makeBackup(
  source: BackupSource,
  { file, passphrase, report = () => {} }: { file: string; passphrase: string; report?: (told: Told) => void },
): Promise<Contents> {
  const counted: Contents = { rows: 0, files: 0, instances: 0 }
  const snapshot = await openSnapshot({ home: source.home, url: source.databaseUrl })
  const draft = `${file}.part`
  try {
    await pipeline(
      Readable.from(parts(source, snapshot, counted, report), { objectMode: true }),
      createGzip(),
      (compressed: AsyncIterable<Buffer>) => seal(compressed, passphrase),
      createWriteStream(draft, { mode: 0o600 }),
    )
    await flush(draft)
    await rename(draft, file)
    return counted
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  } finally {
    await snapshot.close()
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  await handle.sync()
  await handle.close()
}

const line = (entry: Entry) => Buffer.from(`${JSON.stringify(entry)}\n`)

async function* parts(
  source: BackupSource,
  snapshot: Snapshot,
  counted: Contents,
  report: (told: Told) => void,
): AsyncGenerator<Buffer> {
  const tables = await snapshot.tables()
  const [migrations, instances] = [
    await column(snapshot, 'migrations', 'name'),
    await column(snapshot, 'instances', 'id'),
  ]
  if (tables.some(({ name }) => name === 'master_keys')) await checkKey(snapshot, source.masterKey)
  const made = new Date().toISOString()
  const key = source.masterKey.toString('base64')
  yield line({
    kind: 'manifest',
    format: 1,
    version: source.version,
    made,
    migrations: migrations.sort(),
    key,
    origin: provenanceHere(source.home),
  })
  for (const [at, table] of tables.entries()) {
    if (source.rules.leaveOut?.includes(table.name)) continue
    report({ text: 'Reading the database', done: at, total: tables.length })
    yield line({ kind: 'table', ...table })
    for await (const rows of snapshot.rows(table)) {
      const kept = carry(table, rows, source.rules)
      counted.rows += kept.length
      if (kept.length > 0) yield Buffer.from(kept.map((row) => `${JSON.stringify(row)}\n`).join(''))
    }
  }
  for (const [at, instance] of instances.entries()) {
    report({ text: 'Reading the files of the instances', done: at, total: instances.length })
    counted.instances += 1
    for await (const { path, mode, content } of source.driver.files(instance)) {
      counted.files += 1
      yield line({ kind: 'file', instance, path, mode })
      for await (const bytes of content) {
        if (bytes.length === 0) continue
        yield line({ kind: 'bytes', count: bytes.length })
        yield bytes
      }
      yield line({ kind: 'bytes', count: 0 })
    }
  }
  yield line({ kind: 'end', rows: counted.rows, files: counted.files })
}

/** The key of a back-up must open its rows. @throws Error when it was replaced at this very moment. */
async function checkKey(snapshot: Snapshot, key: Buffer): Promise<void> {
  const columns = ['id', 'state', 'handoff']
  for await (const rows of snapshot.rows({ name: 'master_keys', columns }))
    for (const [id, state, handoff] of rows)
      if (state === 'current' && id !== masterKey(key).id && handoff === null)
        throw new Error('The master key was replaced just now: make the back-up again')
}

async function column(snapshot: Snapshot, name: string, key: string): Promise<string[]> {
  const values: string[] = []
  for await (const rows of snapshot.rows({ name, columns: [key] })) values.push(...rows.map(([value]) => String(value)))
  return values
}
