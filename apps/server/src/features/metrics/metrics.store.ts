import type { Db } from '../../platform/db/tables.ts'

/** The instances that are meant to run. */
export async function listMeantToRun(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('instances').select('id').where('wanted', '=', 'running').execute()
  return rows.map(({ id }) => id)
}

/** All instances there are. */
export async function listIds(db: Db): Promise<Set<string>> {
  const rows = await db.selectFrom('instances').select('id').execute()
  return new Set(rows.map(({ id }) => id))
}
