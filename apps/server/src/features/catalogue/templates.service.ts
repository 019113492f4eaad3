import {
  defaultTemplatePolicy,
  defaultTemplateSettings,
  type Template,
  type TemplateInput,
  type TemplatePatch,
} from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import { type ColumnMap, columnsOf } from '../../platform/db/columns.ts'
import { flag, type Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { changes, platformScope } from '../audit/index.ts'
import { deleteTemplate, updateTemplate } from './catalogue.edit.store.ts'
import { type EditDependencies, checkUnused, nameTaken, unlessUsed, updatesOf } from './catalogue.edit.ts'
import { findTemplate, insertTemplate, type TemplateRow } from './catalogue.store.ts'
import { templateContents } from './catalogue.view.ts'
import type { StoredSettings } from './settings.view.ts'
import { templatePolicy, templateSettings, toldTemplate } from './template.settings.ts'

/** Cost of the hash of a password for addresses of flows; launchers check it on each request. */
const bcryptCost = 8

const info = ({ id, name }: Pick<TemplateRow, 'id' | 'name'>) => ({ info: { id, name } })
/** Ties a sealed variable of a template to its place. */
export const templateVariableContext = (id: string, name: string) => `template:${id}:env:${name}`

/** The access to the addresses of flows, and whether instances may decide it. */
const accessOf = (settings: StoredSettings, policy: Template['policy']) =>
  JSON.stringify([settings.httpNodeAuth, policy.httpNodeAuth])

/** Settings and policy are merged with those that are there; the revision is compared, never set. */
const editable: ColumnMap<TemplatePatch, TemplateRow> = {
  name: 'name',
  description: 'description',
  active: { active: flag },
  settings: null,
  policy: null,
  revision: null,
}

/** The actions of administrators on templates. */
export function createTemplateEdits({ database, clock, audit, vault, hooks }: EditDependencies) {
  const seal = (id: string) => (name: string, value: string) => vault.seal(value, templateVariableContext(id, name))

  /** Before the transaction, which must not wait for it. */
  async function hashed(input: TemplatePatch['settings']): Promise<NonNullable<TemplatePatch['settings']>> {
    const auth = input?.httpNodeAuth
    if (typeof auth?.pass !== 'string' || auth.pass === '') return input ?? {}
    const { default: bcrypt } = await import('bcryptjs')
    return { ...input, httpNodeAuth: { ...auth, pass: await bcrypt.hash(auth.pass, bcryptCost) } }
  }

  /** Settings and policy to begin with: those of a new template, or another's with its secrets sealed anew. */
  async function base(id: string, source: string | undefined) {
    if (!source) return { settings: defaultTemplateSettings as StoredSettings, policy: defaultTemplatePolicy }
    const row = await findTemplate(database.read, source)
    if (!row) throw fail('invalid_template', 'There is no such template to copy', { field: 'source' })
    const { settings, policy } = templateContents(row)
    const env = settings.env?.map((entry) => {
      if (!entry.encrypted) return entry
      return {
        ...entry,
        value: seal(id)(entry.name, vault.open(entry.value, templateVariableContext(source, entry.name))),
      }
    })
    return { settings: { ...settings, ...(env ? { env } : {}) }, policy }
  }

  /** Other default modules are for new instances: those that follow the template keep what they have [ATPL-17]. */
  async function keepModules(tx: Tx, id: string, before: StoredSettings, after: StoredSettings): Promise<void> {
    const modules = before.palette?.modules ?? []
    if (JSON.stringify(modules) === JSON.stringify(after.palette?.modules ?? [])) return
    await hooks.run('template.modules', tx, id, modules)
  }

  return {
    /** @throws Failure invalid_name 409, invalid_template for an unknown source, invalid_request. */
    async create(actor: Actor, input: TemplateInput): Promise<string> {
      const id = newId()
      const { settings, policy } = await base(id, input.source)
      const given = await hashed(input.settings)
      const row: TemplateRow = {
        id,
        name: input.name,
        description: input.description ?? '',
        active: flag(input.active ?? true),
        settings: JSON.stringify(templateSettings({ before: settings, input: given, seal: seal(id) })),
        policy: JSON.stringify(templatePolicy(policy, input.policy ?? {})),
        owner_id: actor.kind === 'user' ? actor.userId : null,
        created_at: clock.now(),
        revision: 1,
      }
      await nameTaken(() =>
        database.transact(async (tx) => {
          await insertTemplate(tx, row)
          await audit.record(tx, actor, 'platform.template.created', platformScope, info(row))
        }),
      )
      return id
    },

    /** @throws Failure outdated 409 when somebody changed it since it was read, invalid_name 409, invalid_request. */
    async update(actor: Actor, id: string, patch: TemplatePatch): Promise<void> {
      const given = await hashed(patch.settings)
      await nameTaken(() =>
        database.transact(async (tx) => {
          const row = await findTemplate(tx, id)
          if (!row) throw fail('not_found')
          const outdated = () =>
            fail('outdated', `${row.name} was changed by somebody else since you opened it; nothing was saved`)
          if (patch.revision !== undefined && patch.revision !== row.revision) throw outdated()
          const before = templateContents(row)
          const settings = templateSettings({ before: before.settings, input: given, seal: seal(id) })
          const policy = templatePolicy(before.policy, patch.policy ?? {})
          const plain = columnsOf(patch, editable)
          const [old, now] = [toldTemplate(before.settings, before.policy), toldTemplate(settings, policy)]
          const gone = Object.keys(old).filter((key) => !(key in now))
          const updates = [
            ...updatesOf(row, plain, editable),
            ...changes(old, now),
            ...gone.map((key) => ({ key, old: old[key], dif: 'deleted' as const })),
          ]
          if (updates.length === 0) return
          const change = { ...plain, settings: JSON.stringify(settings), policy: JSON.stringify(policy) }
          if (!(await updateTemplate(tx, row, change))) throw outdated()
          await keepModules(tx, id, before.settings, settings)
          if (updates.some(({ key }) => !(key in plain))) {
            const access = accessOf(before.settings, before.policy) !== accessOf(settings, policy)
            await hooks.run('template.changed', tx, id, { access })
          }
          await audit.record(tx, actor, 'platform.template.updated', platformScope, {
            ...info({ ...row, ...change }),
            updates,
          })
        }),
      )
      void hooks.run('template.saved')
    },

    /** @throws Failure invalid_request while instances have it. */
    async remove(actor: Actor, id: string): Promise<void> {
      await unlessUsed('a template', () =>
        database.transact(async (tx) => {
          const row = await findTemplate(tx, id)
          if (!row) throw fail('not_found')
          await checkUnused(tx, 'a template', 'template_id', id)
          await deleteTemplate(tx, id)
          await audit.record(tx, actor, 'platform.template.deleted', platformScope, info(row))
        }),
      )
    },
  }
}
