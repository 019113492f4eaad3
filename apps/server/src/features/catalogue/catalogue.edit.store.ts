import { sql } from 'kysely'
import type { ChangeOf } from '../../platform/db/columns.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import type { InstanceTypeRow, StackRow, TemplateRow } from './catalogue.store.ts'

export type UseColumn = 'type_id' | 'stack_id' | 'template_id'

/** Number of instances of this type, stack or template; deleted ones may be restored to it. */
export async function countInstances(
  db: Db,
  column: UseColumn,
  id: string,
): Promise<{ present: number; deleted: number }> {
  const rows = db.selectFrom('instances').where(column, '=', id)
  const { n, present } = await rows
    .select((q) => [
      q.fn.countAll<number>().as('n'),
      sql<number>`coalesce(sum(case when deleted_at is null then 1 else 0 end), 0)`.as('present'),
    ])
    .executeTakeFirstOrThrow()
  return { present: Number(present), deleted: Number(n) - Number(present) }
}

/** Does an instance need it, be it a deleted one? */
export async function isUsed(db: Db, column: UseColumn, id: string): Promise<boolean> {
  const { present, deleted } = await countInstances(db, column, id)
  return present + deleted > 0
}

export async function updateInstanceType<Change extends Partial<InstanceTypeRow>>(
  tx: Tx,
  id: string,
  change: ChangeOf<InstanceTypeRow, Change>,
): Promise<void> {
  await tx.updateTable('instance_types').set(change).where('id', '=', id).execute()
}
/** Its stacks stay, without a type. */
export async function deleteInstanceType(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('stacks').set({ type_id: null }).where('type_id', '=', id).execute()
  await tx.deleteFrom('instance_types').where('id', '=', id).execute()
}

export async function updateStack<Change extends Partial<StackRow>>(
  tx: Tx,
  id: string,
  change: ChangeOf<StackRow, Change>,
): Promise<void> {
  await tx.updateTable('stacks').set(change).where('id', '=', id).execute()
}
/**
 * Puts a stack in the place of another: for those that were replaced by that before, and as the default of its type.
 * False when that one has been replaced already.
 */
export async function replaceStack(tx: Tx, oldId: string, newId: string): Promise<boolean> {
  const stacks = tx.updateTable('stacks').set({ replaced_by: newId })
  const replaced = await stacks
    .set({ active: 0 })
    .where('id', '=', oldId)
    .where('replaced_by', 'is', null)
    .executeTakeFirst()
  if (replaced.numUpdatedRows === 0n) return false
  await stacks.where('replaced_by', '=', oldId).execute()
  await tx
    .updateTable('instance_types')
    .set({ default_stack_id: newId })
    .where('default_stack_id', '=', oldId)
    .execute()
  return true
}
/** Is it what others were replaced by? */
export async function isNewestVersion(db: Db, id: string): Promise<boolean> {
  const older = db.selectFrom('stacks').select('id').where('replaced_by', '=', id).limit(1)
  return (await older.executeTakeFirst()) !== undefined
}
export async function deleteStack(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('instance_types').set({ default_stack_id: null }).where('default_stack_id', '=', id).execute()
  await tx.deleteFrom('stacks').where('id', '=', id).execute()
}

/** Changes a template that still has this revision; false when it has another one by now. */
export async function updateTemplate<Change extends Partial<TemplateRow>>(
  tx: Tx,
  { id, revision }: Pick<TemplateRow, 'id' | 'revision'>,
  change: ChangeOf<TemplateRow, Change>,
): Promise<boolean> {
  const changed = await tx
    .updateTable('templates')
    .set({ ...change, revision: revision + 1 })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}
export async function deleteTemplate(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('templates').where('id', '=', id).execute()
}
