import type * as z from 'zod/mini'
import { isObject } from '../objects.ts'

/** Reads a JSON text of the database. `id` names the row in the error, which never holds a value. */
export type ReadJson<T> = (text: string, id: string) => T

/** A value is named by its place alone, because it may be a secret. */
const unreadable = (column: string, id: string, why: string) => new Error(`${column} of ${id} cannot be read: ${why}`)

function parsed(text: string, column: string, id: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable(column, id, 'it is not JSON')
  }
}

const misshapen = (path: readonly PropertyKey[] = []) =>
  `${path.join('.') || 'the value'} does not have the shape that is kept there`

/**
 * Reads a JSON column by the schema of its values, so that a value of another shape is told where it is read.
 * @param column table and column, such as `jobs.payload`
 * @returns a reader that throws an Error with the column, the row and the path of the first fault
 */
export function jsonColumn<T>(column: string, schema: z.ZodMiniType<T>): ReadJson<T> {
  return (text, id) => {
    const read = schema.safeParse(parsed(text, column, id))
    if (read.success) return read.data
    throw unreadable(column, id, misshapen(read.error.issues[0]?.path))
  }
}

/** The same for objects with any fields, which lists read by the hundred: a schema takes as long as reading one. */
export function objectColumn(column: string): ReadJson<Record<string, unknown>> {
  return (text, id) => {
    const value = parsed(text, column, id)
    if (isObject(value)) return value
    throw unreadable(column, id, misshapen())
  }
}

const most = 1_000
const longest = 8_192

/**
 * The same for a column that is read very often, with the fields that the schema does not name, since the value may be
 * written back. A text is judged once as long as it is among the last thousand that differ.
 */
export function oftenReadJson<T>(column: string, schema: z.ZodMiniType<T>): ReadJson<T> {
  const judge = jsonColumn(column, schema)
  const judged = new Set<string>()
  return (text, id) => {
    if (!judged.has(text)) {
      judge(text, id)
      const [oldest] = judged
      if (judged.size >= most) judged.delete(oldest!)
      if (text.length <= longest) judged.add(text)
    }
    return JSON.parse(text) as T
  }
}
