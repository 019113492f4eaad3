import * as z from 'zod/mini'
import { dropBlobs, keepBlob, packBlob, type Packed, readBlob } from '../../platform/blobs/blobs.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import type { Brought } from './deployments.kinds.ts'
import type { DeploymentRow } from './deployments.store.ts'

const names = ['flows', 'credentials', 'settings'] as const

const hash = z.optional(z.nullable(z.string()))
/** The new or the former parts, as the row of the deployment refers to them: texts by their hashes, null for none. */
const Parts = z.object({
  held: z.object({ flows: hash, credentials: hash, settings: hash }),
  ground: z.optional(
    z.object({ type_id: z.string(), stack_id: z.string(), properties: z.string(), label: z.string() }),
  ),
  install: z.optional(z.readonly(z.array(z.object({ name: z.string(), version: z.string() })))),
  allowStopped: z.optional(z.readonly(z.array(z.string()))),
})
type Parts = z.infer<typeof Parts>
const read = {
  incoming: jsonColumn('deployments.incoming', Parts),
  outgoing: jsonColumn('deployments.outgoing', Parts),
}
type Column = keyof typeof read

export interface PackedParts {
  parts: string
  blobs: Packed[]
}

/** Makes contents ready to be kept outside of a transaction. */
export async function packParts({ held, ...more }: Brought): Promise<PackedParts> {
  const parts: Parts = { held: {}, ...more }
  const blobs: Packed[] = []
  for (const name of names) {
    const text = held[name]
    if (text === undefined) continue
    const packed = text === null ? null : await packBlob(text)
    if (packed) blobs.push(packed)
    parts.held[name] = packed?.hash ?? null
  }
  return { parts: JSON.stringify(parts), blobs }
}

export async function keepParts(tx: Tx, { blobs }: PackedParts): Promise<void> {
  // Always in the same order, so that no two wait for each other.
  for (const blob of blobs.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))) await keepBlob(tx, blob)
}

/** Returns the parts that a column of the row holds, undefined when it holds none. */
export async function readParts(
  db: Db,
  { id, ...row }: Pick<DeploymentRow, 'id' | Column>,
  column: Column,
): Promise<Brought | undefined> {
  const json = row[column]
  if (json === null) return undefined
  const { held, ...more } = read[column](json, id)
  const texts: Record<string, string | null> = {}
  for (const name of names) {
    const hash = held[name]
    if (hash !== undefined) texts[name] = hash === null ? null : await readBlob(db, hash)
  }
  return { held: texts, ...more }
}

/** Lets go of what a deployment that is over referred to. */
export async function dropParts(tx: Tx, { id, ...row }: Pick<DeploymentRow, 'id' | Column>): Promise<void> {
  const hashes = (['incoming', 'outgoing'] as const).flatMap((column) => {
    const json = row[column]
    return json === null ? [] : Object.values(read[column](json, id).held).filter((hash) => typeof hash === 'string')
  })
  await dropBlobs(tx, hashes)
}
