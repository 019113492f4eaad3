import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { loginKey } from '../account/index.ts'
import { badRequest } from './scim.errors.ts'
import type { Filter } from './filter.parser.ts'

/** Comparison of an attribute: its column, and the form of a value there. `undefined`: it is no such value. */
export interface FilterColumn {
  column: RawBuilder<unknown>
  store(value: string | number | boolean | null): string | number | undefined
}

/** The attributes by which a list can be filtered, by their paths in lower case. */
export type FilterColumns = Readonly<Record<string, FilterColumn | undefined>>

/** Values of a column of text, and of one that holds names as they are compared. */
export const asText = (value: unknown) => (typeof value === 'string' ? value : undefined)
export const asKey = (value: unknown) => (typeof value === 'string' ? loginKey(value) : undefined)

const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** The condition of a filter, as SQL. @throws ScimError invalidFilter for attributes and operators that no index serves. */
export function conditionOf(filter: Filter, columns: FilterColumns, prefix = ''): RawBuilder<SqlBool> {
  if (filter.kind === 'and' || filter.kind === 'or') {
    const [left, right] = [conditionOf(filter.left, columns, prefix), conditionOf(filter.right, columns, prefix)]
    return filter.kind === 'and' ? sql<SqlBool>`(${left} and ${right})` : sql<SqlBool>`(${left} or ${right})`
  }
  if (filter.kind === 'not') return sql<SqlBool>`(not ${conditionOf(filter.of, columns, prefix)})`
  if (filter.kind === 'within') return conditionOf(filter.of, columns, `${filter.path}.`)
  const path = `${prefix}${filter.path}`
  const entry = columns[path]
  if (!entry) throw badRequest('invalidFilter', `Lists cannot be filtered by ${path}`)
  const { column } = entry
  if (filter.kind === 'present') return sql<SqlBool>`(${column} is not null and ${column} <> ${entry.store('') ?? -1})`
  const value = entry.store(filter.value)
  if (value === undefined) throw badRequest('invalidFilter', `${path} cannot have this value`)
  const text = typeof value === 'string' ? escaped(value) : undefined
  if (filter.by === 'eq') return sql<SqlBool>`${column} = ${value}`
  if (filter.by === 'ne') return sql<SqlBool>`(${column} is null or ${column} <> ${value})`
  const like = { co: `%${text}%`, sw: `${text}%`, ew: `%${text}` }[filter.by as 'co' | 'sw' | 'ew'] as
    | string
    | undefined
  if (like === undefined || text === undefined)
    throw badRequest('invalidFilter', `${path} cannot be compared by ${filter.by}`)
  return sql<SqlBool>`${column} like ${like} escape '\\'`
}
