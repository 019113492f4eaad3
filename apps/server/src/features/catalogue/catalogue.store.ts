import type { DriverName, StackState } from '@app/contract'
import { type Expression, type ExpressionBuilder, type NotNull, type RawBuilder, sql, type SqlBool } from 'kysely'
import { contains } from '../../platform/db/like.ts'
import type { Portion } from '../../platform/db/page.ts'
import type { Db, Flag, Tables, Tx } from '../../platform/db/tables.ts'

export interface InstanceTypeRow {
  id: string
  name: string
  description: string
  active: Flag
  position: number
  properties: string
  default_stack_id: string | null
  driver: DriverName | null
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
  revision: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    instance_types: InstanceTypeRow
    stacks: StackRow
    templates: TemplateRow
  }
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

export async function findInstanceType(db: Db, id: string): Promise<InstanceTypeRow | undefined> {
  return db.selectFrom('instance_types').selectAll().where('id', '=', id).executeTakeFirst()
}

export type InstanceTypeWithUse = InstanceTypeRow & { instance_count: number; stack_count: number }

function typesWithUse(db: Db) {
  const count = (q: ExpressionBuilder<Tables & { type: InstanceTypeRow }, 'type'>, table: 'instances' | 'stacks') =>
    q
      .selectFrom(table)
      .whereRef(`${table}.type_id`, '=', 'type.id')
      .select((n) => n.fn.countAll<number>().as('n'))
  return db
    .selectFrom('instance_types as type')
    .selectAll('type')
    .select((q) => [
      count(q, 'instances').where('instances.deleted_at', 'is', null).as('instance_count'),
      count(q, 'stacks').as('stack_count'),
    ])
    .$narrowType<{ instance_count: NotNull; stack_count: NotNull }>()
}
/** A short list by nature: read whole, by order then name. */
export async function listInstanceTypes(db: Db, active?: boolean): Promise<InstanceTypeWithUse[]> {
  const types = typesWithUse(db).orderBy('type.position').orderBy('type.name')
  return (active === undefined ? types : types.where('type.active', '=', active ? 1 : 0)).execute()
}
export async function findInstanceTypeWithUse(db: Db, id: string): Promise<InstanceTypeWithUse | undefined> {
  return typesWithUse(db).where('type.id', '=', id).executeTakeFirst()
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
  const ready = db
    .selectFrom('stacks')
    .select('id')
    .where('type_id', '=', typeId)
    .where('active', '=', 1)
    .where('state', '=', 'ready')
  return (await ready.limit(1).executeTakeFirst()) !== undefined
}

export type StackWithType = StackRow & { type_name: string | null; instance_count: number }

function stacksWithType(db: Db) {
  return db
    .selectFrom('stacks as stack')
    .leftJoin('instance_types as type', 'type.id', 'stack.type_id')
    .selectAll('stack')
    .select('type.name as type_name')
    .select((q) =>
      q
        .selectFrom('instances')
        .whereRef('stack_id', '=', 'stack.id')
        .where('deleted_at', 'is', null)
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('instance_count'),
    )
    .$narrowType<{ instance_count: NotNull }>()
}
export async function findStack(db: Db, id: string): Promise<StackWithType | undefined> {
  return stacksWithType(db).where('stack.id', '=', id).executeTakeFirst()
}

export interface StackFilter {
  active?: boolean | undefined
  typeId?: string | undefined
  /** The stack this one replaced. */
  replacedBy?: string | undefined
  /** In name or label. */
  text?: string | undefined
}
function stackIs({ active, typeId, replacedBy, text }: StackFilter) {
  return (where: ExpressionBuilder<Tables & { stack: StackRow }, 'stack'>): Expression<SqlBool> =>
    where.and([
      ...(active === undefined ? [] : [where('stack.active', '=', active ? 1 : 0)]),
      ...(typeId ? [where('stack.type_id', '=', typeId)] : []),
      ...(replacedBy ? [where('stack.replaced_by', '=', replacedBy)] : []),
      ...(text ? [anyHas(['stack.name', 'stack.label'], text)] : []),
    ])
}
export async function listStacks(db: Db, filter: StackFilter, page: Portion): Promise<StackWithType[]> {
  const stacks = stacksWithType(db).orderBy('stack.id').limit(page.limit).where(stackIs(filter))
  return (page.cursor ? stacks.where('stack.id', '>', page.cursor) : stacks).execute()
}
export async function countStacks(db: Db, filter: StackFilter): Promise<number> {
  const stacks = db.selectFrom('stacks as stack').select((count) => count.fn.countAll<number>().as('n'))
  return Number((await stacks.where(stackIs(filter)).executeTakeFirstOrThrow()).n)
}

const anyHas = (columns: string[], text: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    columns.map((column) => contains(sql`lower(${sql.ref(column)})`, text)),
    sql` or `,
  )})`

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
    .$narrowType<{ instance_count: NotNull }>()
}
export async function findTemplate(db: Db, id: string): Promise<TemplateWithUse | undefined> {
  return templatesWithUse(db).where('template.id', '=', id).executeTakeFirst()
}

/** In name, description, id or the user name of who made it [ATPL-02]. */
function templateHas(text: string): Expression<SqlBool> {
  const owner = 'select username from users where users.id = template.owner_id'
  return sql`(${anyHas(['template.name', 'template.description', 'template.id'], text)} or ${contains(sql`lower(${sql.raw(`(${owner})`)})`, text)})`
}
export async function listTemplates(db: Db, text: string | undefined, page: Portion): Promise<TemplateWithUse[]> {
  let templates = templatesWithUse(db).orderBy('template.id').limit(page.limit)
  if (text) templates = templates.where(templateHas(text))
  if (page.cursor) templates = templates.where('template.id', '>', page.cursor)
  return templates.execute()
}
export async function countTemplates(db: Db, text: string | undefined): Promise<number> {
  const templates = db.selectFrom('templates as template').select((count) => count.fn.countAll<number>().as('n'))
  return Number((await (text ? templates.where(templateHas(text)) : templates).executeTakeFirstOrThrow()).n)
}
