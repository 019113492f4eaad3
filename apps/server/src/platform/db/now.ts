import { sql } from 'kysely'
import type { Database } from './database.ts'

/** Now, by the clock of the database: those of two machines differ. */
export const databaseNow = (kind: Database['kind']) =>
  kind === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
