import type { Driver } from '@app/drivers'
import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { masterKey } from '../../platform/crypto.ts'
import { openSnapshot, type Snapshot, type TableShape } from '../../platform/db/snapshot.ts'
import type { BackupRules } from '../../platform/features/feature.ts'
import { provenanceHere } from '../hosting/index.ts'
import { encrypt } from './archive.age.ts'
import { archivePaths, type Contents, type ManifestFile } from './archive.entries.ts'
import { type Member, pack } from './archive.tar.ts'
import { carry } from './backup.tables.ts'

/** Characters of rows in one file of the archive. */
const partLength = 512 * 1024
const zeros = Buffer.alloc(64 * 1024)

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
 * Writes a backup into `file`, whole or not at all, while everything goes on: the database as it is at one moment, then
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
      pack(membersOf(source, snapshot, counted, report)),
      createGzip(),
      (compressed: AsyncIterable<Buffer>) => encrypt(compressed, passphrase),
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

const utf8 = (text: string) => Buffer.from(text)
const textFile = (name: string, text: string): Member => {
  const bytes = utf8(text)
  return { name, size: bytes.length, content: [bytes] }
}

async function* membersOf(
  source: BackupSource,
  snapshot: Snapshot,
  counted: Contents,
  report: (told: Told) => void,
): AsyncGenerator<Member> {
  const all = await snapshot.tables()
  const [migrations, instances] = [
    await column(snapshot, 'migrations', 'name'),
    await column(snapshot, 'instances', 'id'),
  ]
  if (all.some(({ name }) => name === 'master_keys')) await checkKey(snapshot, source.masterKey)
  const tables = all.filter(({ name }) => !source.rules.leaveOut?.includes(name))
  const manifest: ManifestFile = {
    format: 2,
    version: source.version,
    made: new Date().toISOString(),
    migrations: migrations.sort(),
    key: source.masterKey.toString('base64'),
    origin: provenanceHere(source.home),
    tables,
  }
  yield textFile(archivePaths.manifest, `${JSON.stringify(manifest, null, 2)}\n`)
  for (const [at, table] of tables.entries()) {
    report({ text: 'Reading the database', done: at, total: tables.length })
    yield* rowsOf(snapshot, table, source.rules, counted)
  }
  for (const [at, instance] of instances.entries()) {
    report({ text: 'Reading the files of the instances', done: at, total: instances.length })
    counted.instances += 1
    for await (const { path, mode, size, content } of source.driver.files(instance)) {
      counted.files += 1
      yield { name: archivePaths.file(instance, path), mode, size, content: exactly(size, content) }
    }
  }
  const { rows, files } = counted
  yield textFile(archivePaths.end, `${JSON.stringify({ rows, files })}\n`)
}

/** The rows of a table in parts: a tar names the size of a file before its content, so a part is held in memory. */
async function* rowsOf(
  snapshot: Snapshot,
  table: TableShape,
  rules: BackupRules,
  counted: Contents,
): AsyncGenerator<Member> {
  let [part, text] = [0, '']
  const taken = () => {
    const member = textFile(archivePaths.rows(table.name, (part += 1)), text)
    text = ''
    return member
  }
  for await (const rows of snapshot.rows(table)) {
    const kept = carry(table, rows, rules)
    counted.rows += kept.length
    for (const row of kept) text += `${JSON.stringify(row)}\n`
    if (text.length < partLength) continue
    yield taken()
    // Rows of an embedded database come without waiting; requests get their turn.
    await setImmediate()
  }
  if (text.length > 0) yield taken()
}

/** As many bytes as were announced: a file that shrinks while it is read ends in zeros, as GNU tar does it. */
async function* exactly(size: number, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = size
  for await (const bytes of content) {
    const some = bytes.subarray(0, left)
    left -= some.length
    if (some.length > 0) yield some
  }
  for (; left > 0; left -= Math.min(left, zeros.length)) yield zeros.subarray(0, left)
}

/** The key of a backup must open its rows. @throws Error when it was replaced at this very moment. */
async function checkKey(snapshot: Snapshot, key: Buffer): Promise<void> {
  const columns = ['id', 'state', 'handoff']
  for await (const rows of snapshot.rows({ name: 'master_keys', columns }))
    for (const [id, state, handoff] of rows)
      if (state === 'current' && id !== masterKey(key).id && handoff === null)
        throw new Error('The master key was replaced just now: make the backup again')
}

async function column(snapshot: Snapshot, name: string, key: string): Promise<string[]> {
  const values: string[] = []
  for await (const rows of snapshot.rows({ name, columns: [key] })) values.push(...rows.map(([value]) => String(value)))
  return values
}
