import {
  defaultTemplatePolicy,
  defaultTemplateSettings,
  type InstanceType,
  type PageQuery,
  type Stack,
  type StackProperties,
  type Template,
  type TemplateSummary,
  type UserSummary,
} from '@app/contract'
import { also } from '../../platform/features/services.ts'
import { pageOf } from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import type { EditDependencies } from './catalogue.edit.ts'
import {
  countStacks,
  countTemplates,
  findInstanceType,
  findInstanceTypeWithUse,
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
import { createStackEdits } from './stacks.service.ts'
import { createTemplateEdits } from './templates.service.ts'
import { createTypeEdits } from './types.service.ts'

type Filter = 'active' | 'inactive' | 'all'
const wanted = (filter: Filter = 'active') => (filter === 'all' ? undefined : filter === 'active')

export interface Choice {
  type: InstanceTypeRow
  stack: StackRow
  template: TemplateRow
}

export interface CatalogueDependencies extends TrialDependencies, EditDependencies {
  baseUrl: string
  /** Summaries of people, by their ids. */
  people(ids: string[]): Promise<UserSummary[]>
}

export type Catalogue = ReturnType<typeof createCatalogue>

/** The catalogue of instances: types, stacks and templates. */
export function createCatalogue(deps: CatalogueDependencies) {
  const { database, clock, baseUrl, people } = deps
  const trials = createTrials(deps)
  const { read } = database
  async function found<T>(row: Promise<T | undefined>): Promise<T> {
    const value = await row
    if (value === undefined) throw fail('not_found')
    return value
  }

  /** A type and a stack for it, both checked: active, made for each other, and ready. `keepsType`: it is of the type. */
  async function chooseStack(
    ids: { type: string; stack: string },
    keepsType = false,
  ): Promise<Pick<Choice, 'type' | 'stack'>> {
    const type = await findInstanceType(read, ids.type)
    if (!type || (!type.active && !keepsType)) throw fail('invalid_project_type', undefined, { field: 'projectType' })
    const stack = await findStack(read, ids.stack)
    if (!stack?.active || stack.type_id !== type.id) throw fail('invalid_stack', undefined, { field: 'stack' })
    await trials.check(stack, type)
    return { type, stack }
  }

  /** The people who made these templates; shown to administrators only. */
  async function ownersOf(rows: TemplateRow[], admin: boolean) {
    const ids = admin ? [...new Set(rows.flatMap(({ owner_id }) => owner_id ?? []))] : []
    const owners = await people(ids)
    return (row: TemplateRow) => owners.find(({ id }) => id === row.owner_id)
  }

  return {
    types: createTypeEdits(deps),
    stackEdits: createStackEdits(also(deps, { trials })),
    templateEdits: createTemplateEdits(deps),

    async instanceTypes(query: PageQuery & { filter?: Filter | undefined }, admin: boolean) {
      const all = await listInstanceTypes(read, wanted(query.filter))
      const { rows, ...page } = await pageOf(query, async ({ cursor, limit }) => ({
        // The cursor is the last of the page before, wherever it stands by now.
        rows: all.slice(all.findIndex(({ id }) => id === cursor) + 1).slice(0, limit),
        count: all.length,
      }))
      return { ...page, types: rows.map((row): InstanceType => instanceTypeView(row, admin)) }
    },
    hasType: async (id: string): Promise<boolean> => (await findInstanceType(read, id)) !== undefined,
    instanceType: async (id: string, admin: boolean): Promise<InstanceType> =>
      instanceTypeView(await found(findInstanceTypeWithUse(read, id)), admin),

    async stacks(
      query: PageQuery & { filter?: Filter | `replacedBy:${string}` | undefined; projectType?: string | undefined },
      admin: boolean,
    ) {
      const [, replacedBy] = query.filter?.split(':') ?? []
      const filter = {
        active: replacedBy ? undefined : wanted(query.filter as Filter | undefined),
        replacedBy,
        typeId: query.projectType,
        text: query.query ?? query.search,
      }
      const { rows, ...page } = await pageOf(query, async (portion) => ({
        rows: await listStacks(read, filter, portion),
        count: await countStacks(read, filter),
      }))
      return { ...page, stacks: rows.map((row): Stack => stackView(row, baseUrl, admin)) }
    },
    stack: async (id: string, admin: boolean): Promise<Stack> =>
      stackView(await found(findStack(read, id)), baseUrl, admin),

    async templates(query: PageQuery, admin: boolean) {
      const text = query.query ?? query.search
      const { rows, ...page } = await pageOf(query, async (portion) => ({
        rows: await listTemplates(read, text, portion),
        count: await countTemplates(read, text),
      }))
      const ownerOf = await ownersOf(rows, admin)
      return {
        ...page,
        templates: rows.map((row): TemplateSummary => templateSummaryView(row, ownerOf(row), baseUrl)),
      }
    },
    async templateSummary(id: string): Promise<TemplateSummary> {
      const row = await found(findTemplate(read, id))
      return templateSummaryView(row, (await ownersOf([row], true))(row), baseUrl)
    },
    async template(id: string, admin: boolean): Promise<Template> {
      const row = await found(findTemplate(read, id))
      return templateView(row, (await ownersOf([row], admin))(row), baseUrl)
    },

    /** On what an instance most likely runs that somebody creates without much ado. */
    async usualStack(): Promise<StackProperties | undefined> {
      const [type] = await listInstanceTypes(read, true)
      const stack = type?.default_stack_id ? await findStack(read, type.default_stack_id) : undefined
      return stack && stackProperties(stack)
    },

    /** Begins to fetch and try the stacks that cannot be chosen yet. */
    prepareStacks: trials.start,
    prepareStackJob: trials.prepareJob,
    chooseStack,

    /** Checks the choices for a new instance: active, and the stack made for the type and ready. */
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
        driver: null,
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
        revision: 1,
      }
      await insertTemplate(tx, template)
      return { type, stack: stacks[0]!, template }
    },
  }
}
