import type { Db } from '../../platform/db/tables.ts'

/** The instances that are meant to run. */
export async function listMeantToRun(db: Db): Promise<string[]> {
  const meant = db.selectFrom('instances').select('id').where('wanted', '=', 'running')
  const rows = await meant.where('deleted_at', 'is', null).execute()
  return rows.map(({ id }) => id)
}

/** All instances there are, also those that were deleted and can be restored. */
export async function listIds(db: Db): Promise<Set<string>> {
  const rows = await db.selectFrom('instances').select('id').execute()
  return new Set(rows.map(({ id }) => id))
}
