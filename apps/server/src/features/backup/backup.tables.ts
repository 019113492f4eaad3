import type { TableShape } from '../../platform/db/snapshot.ts'
import type { BackupRules } from '../../platform/features/feature.ts'

/** The rows of a table as a backup holds them, with the values in the order of the columns. */
export function carry({ name, columns }: TableShape, rows: unknown[][], rules: BackupRules): unknown[][] {
  const change = rules.change?.[name]
  if (!change) return rows
  return rows.flatMap((values) => {
    const row = change(Object.fromEntries(columns.map((column, at) => [column, values[at]])))
    return row ? [columns.map((column) => row[column])] : []
  })
}
