import {
  defaultTemplatePolicy,
  defaultTemplateSettings,
  type InstanceType,
  limits,
  type PageQuery,
  type Stack,
  type StackProperties,
  type Template,
  type TemplateSummary,
} from '@app/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import {
  countStacks,
  countTemplates,
  findInstanceType,
  findStack,
  findTemplate,
  insertInstanceType,
  insertStack,
  insertTemplate,
  type InstanceTypeRow,
  listInstanceTypes,
  listStacks,
  listTemplates,
  setDefaultStack,
  type StackRow,
  type TemplateRow,
} from './catalogue.store.ts'
import { createTrials, type TrialDependencies } from './catalogue.trials.ts'
import { instanceTypeView, stackProperties, stackView, templateSummaryView, templateView } from './catalogue.view.ts'

type Filter = 'active' | 'inactive' | 'all'
const wanted = (filter: Filter = 'active') => (filter === 'all' ? undefined : filter === 'active')
const next = (rows: { id: string }[], limit: number) => (rows.length === limit ? { next_cursor: rows.at(-1)!.id } : {})

export interface Choice {
  type: InstanceTypeRow
  stack: StackRow
  template: TemplateRow
}

export type Catalogue = ReturnType<typeof createCatalogue>

/** What instances are made of: types, stacks and templates. */
export function createCatalogue(deps: TrialDependencies & { clock: Clock; baseUrl: string }) {
  const { database, clock, baseUrl } = deps
  const trials = createTrials(deps)
  const { read } = database
  async function found<T>(row: Promise<T | undefined>): Promise<T> {
    const value = await row
    if (value === undefined) throw fail('not_found')
    return value
  }

  /** A type and a stack for it, both checked: active, made for each other, and ready. */
  async function chooseStack(ids: { type: string; stack: string }): Promise<Pick<Choice, 'type' | 'stack'>> {
    const type = await findInstanceType(read, ids.type)
    if (!type?.active) throw fail('invalid_project_type', undefined, { field: 'projectType' })
    const stack = await findStack(read, ids.stack)
    if (!stack?.active || stack.type_id !== type.id) throw fail('invalid_stack', undefined, { field: 'stack' })
    await trials.check(stack, type)
    return { type, stack }
  }

  return {
    async instanceTypes(filter: Filter | undefined): Promise<InstanceType[]> {
      return (await listInstanceTypes(read, wanted(filter))).map(instanceTypeView)
    },
    instanceType: async (id: string): Promise<InstanceType> =>
      instanceTypeView(await found(findInstanceType(read, id))),

    async stacks(query: PageQuery & { filter?: Filter | undefined; projectType?: string | undefined }) {
      const filter = { active: wanted(query.filter), typeId: query.projectType }
      const limit = query.limit ?? limits.pageMax
      const rows = await listStacks(read, filter, { cursor: query.cursor, limit })
      return {
        meta: next(rows, limit),
        count: await countStacks(read, filter),
        stacks: rows.map((row): Stack => stackView(row, baseUrl)),
      }
    },
    stack: async (id: string): Promise<Stack> => stackView(await found(findStack(read, id)), baseUrl),

    async templates(query: PageQuery) {
      const limit = query.limit ?? limits.pageMax
      const rows = await listTemplates(read, { cursor: query.cursor, limit })
      return {
        meta: next(rows, limit),
        count: await countTemplates(read),
        templates: rows.map((row): TemplateSummary => templateSummaryView(row, baseUrl)),
      }
    },
    template: async (id: string): Promise<Template> => templateView(await found(findTemplate(read, id)), baseUrl),

    /** On what an instance most likely runs that somebody creates without much ado. */
    async usualStack(): Promise<StackProperties | undefined> {
      const [type] = await listInstanceTypes(read, true)
      const stack = type?.default_stack_id ? await findStack(read, type.default_stack_id) : undefined
      return stack && stackProperties(stack)
    },

    /** Begins to fetch and try the stacks that cannot be chosen yet. */
    prepareStacks: trials.start,
    chooseStack,

    /** What a new instance asks for, checked: active, and the stack made for the type and ready. */
    async choose(ids: { projectType: string; stack: string; template: string }): Promise<Choice> {
      const { type, stack } = await chooseStack({ type: ids.projectType, stack: ids.stack })
      const template = await findTemplate(read, ids.template)
      if (!template?.active) throw fail('invalid_template', undefined, { field: 'template' })
      return { type, stack, template }
    },

    /** The catalogue of a new platform: one type, a stack for each offered Node-RED, one template. */
    async createDefaults(
      tx: Tx,
      versions: readonly { name: string; label: string; properties: StackProperties }[],
    ): Promise<Choice> {
      const now = clock.now()
      const type: InstanceTypeRow = {
        id: newId(),
        name: 'Standard',
        description: 'Room for most flows.',
        active: 1,
        position: 1,
        properties: '{}',
        default_stack_id: null,
        created_at: now,
      }
      await insertInstanceType(tx, type)
      const stacks = versions.map(
        ({ name, label, properties }): StackRow => ({
          id: newId(),
          name,
          label,
          active: 1,
          type_id: type.id,
          properties: JSON.stringify(properties),
          replaced_by: null,
          created_at: now,
          state: 'waiting',
          reason: null,
        }),
      )
      for (const stack of stacks) await insertStack(tx, stack)
      await setDefaultStack(tx, type.id, stacks[0]!.id)
      const template: TemplateRow = {
        id: newId(),
        name: 'Default',
        description: 'Every setting as Node-RED has it.',
        active: 1,
        settings: JSON.stringify(defaultTemplateSettings),
        policy: JSON.stringify(defaultTemplatePolicy),
        owner_id: null,
        created_at: now,
      }
      await insertTemplate(tx, template)
      return { type, stack: stacks[0]!, template }
    },
  }
}
