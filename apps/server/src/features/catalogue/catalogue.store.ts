import type { StackState } from '@app/contract'
import type { Db, Flag, Tx } from '../../platform/db/tables.ts'

export interface InstanceTypeRow {
  id: string
  name: string
  description: string
  active: Flag
  position: number
  properties: string
  default_stack_id: string | null
  created_at: number
}

export interface StackRow {
  id: string
  name: string
  label: string
  active: Flag
  type_id: string | null
  properties: string
  replaced_by: string | null
  created_at: number
  state: StackState
  reason: string | null
}

export interface TemplateRow {
  id: string
  name: string
  description: string
  active: Flag
  settings: string
  policy: string
  owner_id: string | null
  created_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    instance_types: InstanceTypeRow
    stacks: StackRow
    templates: TemplateRow
  }
}

export interface Page {
  cursor?: string | undefined
  limit: number
}

export async function insertInstanceType(tx: Tx, row: InstanceTypeRow): Promise<void> {
  await tx.insertInto('instance_types').values(row).execute()
}
export async function setDefaultStack(tx: Tx, typeId: string, stackId: string): Promise<void> {
  await tx.updateTable('instance_types').set({ default_stack_id: stackId }).where('id', '=', typeId).execute()
}
export async function insertStack(tx: Tx, row: StackRow): Promise<void> {
  await tx.insertInto('stacks').values(row).execute()
}
export async function insertTemplate(tx: Tx, row: TemplateRow): Promise<void> {
  await tx.insertInto('templates').values(row).execute()
}

/** A short list by nature: read whole, by order then name. */
export async function listInstanceTypes(db: Db, active?: boolean): Promise<InstanceTypeRow[]> {
  const types = db.selectFrom('instance_types').selectAll().orderBy('position').orderBy('name')
  return (active === undefined ? types : types.where('active', '=', active ? 1 : 0)).execute()
}
export async function findInstanceType(db: Db, id: string): Promise<InstanceTypeRow | undefined> {
  return db.selectFrom('instance_types').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Active stacks that cannot be chosen yet. */
export async function listUntried(db: Db): Promise<StackRow[]> {
  return db
    .selectFrom('stacks')
    .selectAll()
    .where('active', '=', 1)
    .where('state', '!=', 'ready')
    .orderBy('id')
    .execute()
}
export async function setStackState(tx: Tx, id: string, state: StackState, reason: string | null): Promise<void> {
  await tx.updateTable('stacks').set({ state, reason }).where('id', '=', id).execute()
}
/** Has this type a stack that can be chosen? */
export async function hasReadyStack(db: Db, typeId: string): Promise<boolean> {
  const ready = db.selectFrom('stacks').select('id').where('type_id', '=', typeId).where('state', '=', 'ready')
  return (await ready.limit(1).executeTakeFirst()) !== undefined
}

export type StackWithType = StackRow & { type_name: string | null }

function stacksWithType(db: Db) {
  return db
    .selectFrom('stacks as stack')
    .leftJoin('instance_types as type', 'type.id', 'stack.type_id')
    .selectAll('stack')
    .select('type.name as type_name')
}
export async function findStack(db: Db, id: string): Promise<StackWithType | undefined> {
  return stacksWithType(db).where('stack.id', '=', id).executeTakeFirst()
}
export async function listStacks(
  db: Db,
  filter: { active?: boolean | undefined; typeId?: string | undefined },
  page: Page,
): Promise<StackWithType[]> {
  let stacks = stacksWithType(db).orderBy('stack.id').limit(page.limit)
  if (filter.active !== undefined) stacks = stacks.where('stack.active', '=', filter.active ? 1 : 0)
  if (filter.typeId) stacks = stacks.where('stack.type_id', '=', filter.typeId)
  if (page.cursor) stacks = stacks.where('stack.id', '>', page.cursor)
  return stacks.execute()
}
export async function countStacks(
  db: Db,
  filter: { active?: boolean | undefined; typeId?: string | undefined },
): Promise<number> {
  let stacks = db.selectFrom('stacks').select((count) => count.fn.countAll<number>().as('n'))
  if (filter.active !== undefined) stacks = stacks.where('active', '=', filter.active ? 1 : 0)
  if (filter.typeId) stacks = stacks.where('type_id', '=', filter.typeId)
  return Number((await stacks.executeTakeFirstOrThrow()).n)
}

export type TemplateWithUse = TemplateRow & { instance_count: number }

function templatesWithUse(db: Db) {
  return db
    .selectFrom('templates as template')
    .selectAll('template')
    .select((q) =>
      q
        .selectFrom('instances')
        .whereRef('template_id', '=', 'template.id')
        .where('deleted_at', 'is', null)
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('instance_count'),
    )
}
export async function findTemplate(db: Db, id: string): Promise<TemplateWithUse | undefined> {
  return templatesWithUse(db).where('template.id', '=', id).executeTakeFirst() as Promise<TemplateWithUse | undefined>
}
export async function listTemplates(db: Db, page: Page): Promise<TemplateWithUse[]> {
  const templates = templatesWithUse(db).orderBy('template.id').limit(page.limit)
  return (page.cursor ? templates.where('template.id', '>', page.cursor) : templates).execute() as Promise<
    TemplateWithUse[]
  >
}
export async function countTemplates(db: Db): Promise<number> {
  return Number(
    (
      await db
        .selectFrom('templates')
        .select((count) => count.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  )
}
