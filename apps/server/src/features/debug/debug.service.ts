import type { ReplyOf, Routes } from '@app/contract'
import { iso } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { listApplied } from '../../platform/db/migrate.ts'

/** The shape of the database, for who compares it with what the version expects. */
export function createDebug(database: Database) {
  return {
    async migrations(): Promise<ReplyOf<Routes['debug.migrations']>> {
      return (await listApplied(database)).map(({ name, applied_at }) => ({ name, appliedAt: iso(Number(applied_at)) }))
    },

    async schema(): Promise<ReplyOf<Routes['debug.schema']>> {
      const tables = await database.read.introspection.getTables()
      return Object.fromEntries(
        tables.map(({ name, columns }) => [
          name,
          columns.map((column) => ({ name: column.name, type: column.dataType, nullable: column.isNullable })),
        ]),
      )
    },
  }
}
