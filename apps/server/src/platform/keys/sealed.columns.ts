import * as z from 'zod/mini'
import { sealedValues } from '../crypto.ts'
import { jsonColumn, objectColumn } from '../db/json.ts'

/** A sealed value within a text, with the context that ties it to its place. */
export type Found = readonly [sealed: string, context: string]
export type SealedRow = Record<string, string>

/** A column that holds sealed values, alone or within JSON. */
export interface SealedColumn {
  table: string
  /** The columns that name a row, and whatever else the contexts are made of. */
  key: readonly string[]
  column: string
  /** The text names a blob, which holds the values. */
  isBlob?: true
  find(row: SealedRow, text: string): readonly Found[]
}

/** The whole column is one sealed value. */
export const whole =
  (context: (row: SealedRow) => string): SealedColumn['find'] =>
  (row, text) =>
    isSealed(text) ? [[text, context(row)]] : []

const isSealed = (text: unknown): text is string => typeof text === 'string' && text.match(sealedValues)?.[0] === text

const readEnv = jsonColumn(
  'settings',
  z.object({
    env: z.optional(z.array(z.object({ name: z.string(), value: z.unknown(), encrypted: z.optional(z.boolean()) }))),
  }),
)
const readObject = objectColumn('a column with sealed properties')
const nameOf = (row: SealedRow) => Object.values(row).join(' ')

/** Settings as JSON, whose variables are sealed each by its name. */
export const variables =
  (context: (row: SealedRow, name: string) => string): SealedColumn['find'] =>
  (row, text) => {
    const { env = [] } = readEnv(text, nameOf(row))
    return env.flatMap(({ name, value, encrypted }) =>
      encrypted && isSealed(value) ? [[value, context(row, name)] as const] : [],
    )
  }

/** A flat object as JSON: which of its properties are sealed, and their contexts. */
export const properties =
  (
    contexts: (row: SealedRow, object: Record<string, unknown>) => Record<string, string | undefined>,
  ): SealedColumn['find'] =>
  (row, text) => {
    const object = readObject(text, nameOf(row))
    return Object.entries(contexts(row, object)).flatMap(([name, context]) => {
      const value = object[name]
      return context !== undefined && isSealed(value) ? [[value, context] as const] : []
    })
  }
