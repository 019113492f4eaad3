import type { Db } from '../../platform/db/tables.ts'

/** The instances that are meant to run, and of how many processes. */
export async function listMeantToRun(db: Db): Promise<{ id: string; replicas: number | null }[]> {
  const meant = db.selectFrom('instances').select(['id', 'replicas']).where('wanted', '=', 'running')
  return meant.where('deleted_at', 'is', null).execute()
}

/** All instances there are, also those that were deleted and can be restored. */
export async function listIds(db: Db): Promise<Set<string>> {
  const rows = await db.selectFrom('instances').select('id').execute()
  return new Set(rows.map(({ id }) => id))
}
