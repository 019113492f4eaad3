/** Stores a value in this column; undefined leaves the column as it is. */
type Store<Row, Value> = { readonly [Column in keyof Row]?: (value: Value) => Row[Column] | undefined }

/** The columns that can hold every value of this type. */
type Fitting<Row, Value> = { [Column in keyof Row]: Value extends Row[Column] ? Column : never }[keyof Row]

/**
 * Storage of each field of a patch: as it is in a column; by one function for each column that follows from it; or null
 * when the service stores it itself. A field without an entry, a column that does not exist and a value of another type
 * than its column do not compile.
 */
export type ColumnMap<Patch, Row> = {
  readonly [Field in keyof Patch]-?:
    | Fitting<Row, Exclude<Patch[Field], undefined>>
    | Store<Row, Exclude<Patch[Field], undefined>>
    | null
}

/** The columns that a patch changes. Fields that are undefined change nothing, whatever the map says. */
export function columnsOf<Patch extends object, Row extends object>(
  patch: Patch,
  map: ColumnMap<Patch, Row>,
): Partial<Row> {
  const columns: Record<string, unknown> = {}
  for (const [field, entry] of Object.entries(map) as [keyof Patch, string | Store<Row, unknown> | null][]) {
    const value = patch[field]
    if (value === undefined || entry === null) continue
    if (typeof entry === 'string') {
      columns[entry] = value
      continue
    }
    for (const [column, store] of Object.entries(entry) as [string, (value: unknown) => unknown][]) {
      const stored = store(value)
      if (stored !== undefined) columns[column] = stored
    }
  }
  return columns as Partial<Row>
}

/** The fields of a row, or of a change of it, that a patch could name; the first column of each, as it is stored. */
export function fieldsOf<Patch, Row extends object>(
  row: Partial<Row>,
  map: ColumnMap<Patch, Row>,
): Partial<Record<keyof Patch, unknown>> {
  const fields: Partial<Record<string, unknown>> = {}
  for (const [field, entry] of Object.entries(map) as [string, string | object | null][]) {
    const column = typeof entry === 'string' ? entry : Object.keys(entry ?? {})[0]
    if (column !== undefined && column in row) fields[field] = row[column as keyof Row]
  }
  return fields as Partial<Record<keyof Patch, unknown>>
}

/** A field stored as it is, beside columns that follow from it. */
export const asItIs = <Value>(value: Value): Value => value

/**
 * A change of a row that has no other keys than its columns. Without it, TypeScript lets a spread bring in keys that are
 * no columns, and the database refuses them.
 */
export type ChangeOf<Row, Change extends Partial<Row>> = Change & {
  readonly [Key in Exclude<keyof Change, keyof Row>]: never
}
