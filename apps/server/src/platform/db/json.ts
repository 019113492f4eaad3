import * as z from 'zod/mini'

/** Reads a JSON text of the database. `id` names the row in the error, which never holds a value. */
export type ReadJson<T> = (text: string, id: string) => T

/**
 * Reads a JSON column by the schema of its values, so that a value of another shape is told where it is read.
 * @param column table and column, such as `jobs.payload`
 * @returns a reader that throws an Error with the column, the row and the path of the first fault
 */
export function jsonColumn<T>(column: string, schema: z.ZodMiniType<T>): ReadJson<T> {
  return (text, id) => {
    const unreadable = (why: string) => new Error(`${column} of ${id} cannot be read: ${why}`)
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      throw unreadable('it is not JSON')
    }
    const read = schema.safeParse(value)
    if (read.success) return read.data
    const [fault] = read.error.issues
    throw unreadable(`${fault?.path.join('.') || 'the value'} does not have the shape that is kept there`)
  }
}

/** An object with any fields. As `z.record` says, which makes each object anew, field by field. */
export const anyFields = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

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
