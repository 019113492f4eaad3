import { dropBlobs, keepBlob, packBlob, type Packed, readBlob } from '../../platform/blobs/blobs.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import type { Held } from '../snapshots/index.ts'
import type { Brought } from './deployments.kinds.ts'

const names = ['flows', 'credentials', 'settings'] as const

/** The new or the former parts, as the row of the deployment refers to them: texts by their hashes, null for none. */
interface Parts extends Omit<Brought, 'held'> {
  held: { [name in keyof Held]?: string | null }
}

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

export async function readParts(db: Db, json: string): Promise<Brought> {
  const { held, ...more } = JSON.parse(json) as Parts
  const texts: Record<string, string | null> = {}
  for (const name of names) {
    const hash = held[name]
    if (hash !== undefined) texts[name] = hash === null ? null : await readBlob(db, hash)
  }
  return { held: texts, ...more }
}

/** Lets go of what a deployment that is over referred to. */
export async function dropParts(tx: Tx, row: { incoming: string | null; outgoing: string | null }): Promise<void> {
  const hashes = [row.incoming, row.outgoing].flatMap((json) =>
    json === null ? [] : Object.values((JSON.parse(json) as Parts).held).filter((hash) => typeof hash === 'string'),
  )
  await dropBlobs(tx, hashes)
}
