import type { StackInput, StackPatch, StackProperties } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import { type ColumnMap, columnsOf } from '../../platform/db/columns.ts'
import { flag, type Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import { deleteStack, isNewestVersion, isUsed, replaceStack, updateStack } from './catalogue.edit.store.ts'
import { platformScope } from '../audit/index.ts'
import { type EditDependencies, checkUnused, nameTaken, unlessUsed, updatesOf } from './catalogue.edit.ts'
import { findInstanceType, findStack, insertStack, type StackRow } from './catalogue.store.ts'
import type { Trials } from './catalogue.trials.ts'
import { stackProperties } from './catalogue.view.ts'

const ref = ({ id, name }: Pick<StackRow, 'id' | 'name'>) => ({ stack: { id, name } })
const refuse = (sentence: string, field?: string) => fail('invalid_request', sentence, field ? { field } : {})

/** The same order of keys as in the form, so that what did not change compares. */
const textOf = ({ nodered, memory, nodejs }: StackProperties) =>
  JSON.stringify({ nodered, memory, ...(nodejs ? { nodejs } : {}) })

const editable: ColumnMap<StackPatch, StackRow> = {
  name: 'name',
  label: 'label',
  active: { active: flag },
  projectType: 'type_id',
  properties: { properties: textOf },
}

/** The actions of administrators on stacks. A saved stack is downloaded and tried before it can be chosen. */
export function createStackEdits(deps: EditDependencies & { jobs: Jobs; trials: Trials }) {
  const { database, clock, audit, jobs, trials } = deps

  async function found(tx: Tx, id: string): Promise<StackRow> {
    const row = await findStack(tx, id)
    if (!row) throw fail('not_found')
    return row
  }
  async function checkType(tx: Tx, id: string): Promise<void> {
    if (!(await findInstanceType(tx, id)))
      throw fail('invalid_project_type', 'There is no such instance type', { field: 'projectType' })
  }

  async function replace(tx: Tx, id: string, by: StackRow): Promise<void> {
    const old = await findStack(tx, id)
    if (!old) throw fail('invalid_stack', 'There is no such stack to replace', { field: 'replace' })
    if (old.type_id !== by.type_id)
      throw refuse('A new version has the instance type of the stack it replaces', 'projectType')
    if (!(await replaceStack(tx, id, by.id))) throw refuse('This stack has been replaced already', 'replace')
  }

  /**
   * In a stack in use only label and active state may change, and a type may be given to one that has none
   * [ASTACK-10].
   */
  async function checkChange(tx: Tx, row: StackRow, change: Partial<StackRow>): Promise<void> {
    const { name = row.name, properties = row.properties, type_id } = change
    if (type_id && row.type_id && type_id !== row.type_id)
      throw refuse('The instance type of a stack cannot be changed', 'projectType')
    if (type_id) await checkType(tx, type_id)
    if (name === row.name && properties === row.properties) return
    if (await isUsed(tx, 'stack_id', row.id))
      throw refuse(
        'Instances use this stack: only its label and whether it is active can be changed',
        name === row.name ? 'properties' : 'name',
      )
    if (properties !== row.properties && (await jobs.isOpen(tx, row.id)))
      throw fail('invalid_state', 'The stack is being prepared; its properties can be changed when that is over')
  }

  return {
    /** @throws Failure invalid_name 409, invalid_project_type, invalid_stack, invalid_request. */
    async create(actor: Actor, input: StackInput): Promise<string> {
      const row: StackRow = {
        id: newId(),
        name: input.name,
        label: input.label ?? '',
        active: flag(input.active ?? true),
        type_id: input.projectType,
        properties: textOf(input.properties),
        replaced_by: null,
        created_at: clock.now(),
        state: 'waiting',
        reason: null,
      }
      await nameTaken(() =>
        database.transact(async (tx) => {
          await checkType(tx, input.projectType)
          await insertStack(tx, row)
          if (input.replace) await replace(tx, input.replace, row)
          await audit.record(tx, actor, 'platform.stack.created', platformScope, ref(row))
        }),
      )
      await trials.prepare(row)
      return row.id
    },

    /** @throws Failure invalid_name 409, invalid_request, invalid_project_type, invalid_state while it is prepared. */
    async update(actor: Actor, id: string, patch: StackPatch): Promise<void> {
      const after = await nameTaken(() =>
        database.transact(async (tx) => {
          const row = await found(tx, id)
          const changed = columnsOf(patch, editable)
          const isSame = changed.properties === undefined || changed.properties === textOf(stackProperties(row))
          const { properties: _same, ...others } = changed
          const change = isSame ? others : { ...changed, state: 'waiting' as const, reason: null }
          await checkChange(tx, row, change)
          const updates = updatesOf(row, change, editable)
          if (updates.length === 0) return row
          await updateStack(tx, id, change)
          const after = { ...row, ...change }
          await audit.record(tx, actor, 'platform.stack.updated', platformScope, { ...ref(after), updates })
          return after
        }),
      )
      if (after.active && after.state !== 'ready') await trials.prepare(after)
    },

    /** @throws Failure invalid_request while instances use it, or while it is the newest version of another one. */
    async remove(actor: Actor, id: string): Promise<void> {
      await unlessUsed('a stack', () =>
        database.transact(async (tx) => {
          const row = await found(tx, id)
          await checkUnused(tx, 'a stack', 'stack_id', id)
          if (await isNewestVersion(tx, id)) throw refuse('You cannot delete a stack that replaces another one.')
          await deleteStack(tx, id)
          await jobs.forget(tx, id)
          await audit.record(tx, actor, 'platform.stack.deleted', platformScope, ref(row))
        }),
      )
    },

    /** Fetches and tries it again. */
    async prepare(id: string): Promise<void> {
      const row = await findStack(database.read, id)
      if (!row) throw fail('not_found')
      if (row.state !== 'ready') await trials.prepare(row)
    },
    /** Results of the last preparations. */
    async jobs(id: string) {
      if (!(await findStack(database.read, id))) throw fail('not_found')
      const list = await jobs.list(id, 10)
      return { count: list.length, jobs: list }
    },
  }
}
