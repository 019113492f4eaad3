import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * Does the text of the column contain this one? The column holds it in lower case; the case of `text` does not count, and
 * `%`, `_` and `\` in it are characters like others.
 */
export function contains(column: Expression<string>, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} like ${containing(text)} escape '\\'`
}

/** The pattern for `like … escape '\'` of what contains this text. */
const containing = (text: string): string => `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
