import { limits } from '@app/contract'

/** The rows of a list to read: those after the one named, at most so many. */
export interface Portion {
  cursor?: string | undefined
  limit: number
}

/**
 * A page of a list, with the cursor of the next one where more rows follow. `list` reads the rows of a portion, and
 * counts all.
 */
export async function pageOf<Row extends { id: string }>(
  { cursor, limit = limits.pageMax }: { cursor?: string | undefined; limit?: number | undefined },
  list: (portion: Portion) => Promise<{ rows: Row[]; count: number }>,
): Promise<{ meta: { next_cursor?: string }; count: number; rows: Row[] }> {
  // One row more than asked for tells whether there is a next page.
  const { rows: found, count } = await list({ cursor, limit: limit + 1 })
  const rows = found.slice(0, limit)
  return { meta: found.length > limit ? { next_cursor: rows.at(-1)!.id } : {}, count, rows }
}
