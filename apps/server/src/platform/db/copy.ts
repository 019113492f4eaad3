import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { from } from 'pg-copy-streams'

/** Rows in the text format of PostgreSQL: a statement `copy … from stdin` has them as its only value. */
export class CopiedRows {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Runs such a statement. @returns what kysely expects of any. @throws the error of PostgreSQL, or of the connection. */
export async function copyIn(query: (stream: Writable) => unknown, statement: string, [{ text }]: [CopiedRows]) {
  const stream = from(statement)
  query(stream)
  stream.end(text)
  await finished(stream)
  return { command: 'COPY', rows: [] }
}

const ownSigns: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\uFFFD' }

/** A value of a row. */
export type Stored = string | number | boolean | null

/** A value of a row in that format. PostgreSQL keeps no NUL, which the embedded database lets pass. */
export const copiedValue = (value: Stored): string =>
  value === null ? '\\N' : String(value).replace(/[\\\t\n\r\0]/g, (sign) => ownSigns[sign]!)
