import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/tables.ts'

declare module '../db/tables.ts' {
  interface Tables {
    /** `size` is the length of the text in bytes; `body` is the text, deflated, in base64. */
    blobs: { hash: string; body: string; size: number; refs: number }
  }
}

/** A text ready to be kept: its SHA-256 in hex names it. */
export interface Packed {
  hash: string
  body: string
  size: number
}

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** The name of a text: its SHA-256 in hex. */
export const blobHash = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')

/** Compresses a text, off the main thread, so that a transaction need not wait for it. */
export async function packBlob(text: string): Promise<Packed> {
  const bytes = Buffer.from(text)
  const body = (await deflate(bytes)).toString('base64')
  return { hash: blobHash(bytes), body, size: bytes.length }
}

/** Keeps a text once more: the first time it is written, afterwards counted. Whoever keeps it has to drop it again. */
export async function keepBlob(tx: Tx, packed: Packed): Promise<void> {
  await tx
    .insertInto('blobs')
    .values({ ...packed, refs: 1 })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ refs: sql`blobs.refs + 1` }))
    .execute()
}

/** Drops as many references as the list has entries, a hash as often as it stands there; what nobody refers to goes. */
export async function dropBlobs(tx: Tx, hashes: string[]): Promise<void> {
  const times = Map.groupBy(hashes, (hash) => hashes.filter((other) => other === hash).length)
  for (const [count, same] of times)
    await tx
      .updateTable('blobs')
      .set({ refs: sql`refs - ${count}` })
      .where('hash', 'in', same)
      .execute()
  if (hashes.length > 0) await tx.deleteFrom('blobs').where('hash', 'in', hashes).where('refs', '<=', 0).execute()
}

/** The texts of these names, those that are kept, by name. */
export async function readBlobs(db: Db, hashes: readonly string[]): Promise<Map<string, string>> {
  if (hashes.length === 0) return new Map()
  const rows = await db.selectFrom('blobs').select(['hash', 'body']).where('hash', 'in', hashes).execute()
  const texts = rows.map(async ({ hash, body }) => {
    const bytes = await inflate(Buffer.from(body, 'base64'))
    return [hash, bytes.toString()] as const
  })
  return new Map(await Promise.all(texts))
}

/** The text of this name. @throws Error when nobody keeps it, which is a fault of the program. */
export async function readBlob(db: Db, hash: string): Promise<string> {
  const row = await db.selectFrom('blobs').select('body').where('hash', '=', hash).executeTakeFirst()
  if (!row) throw new Error(`No blob ${hash}`)
  return (await inflate(Buffer.from(row.body, 'base64'))).toString()
}
