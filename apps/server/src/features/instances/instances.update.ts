import { allows, type Instance, type InstanceChanged, type InstancePatch } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { type Catalogue, type StoredSettings, templateContents } from '../catalogue/index.ts'
import { variableContext } from './instances.contexts.ts'
import { instanceRef, type LifecycleDependencies } from './instances.lifecycle.ts'
import type { Launch } from './instances.service.ts'
import { findWhole, type InstanceRow, updateInstance, type WholeInstance } from './instances.store.ts'
import { instanceEvent, shownState } from './instances.view.ts'
import { changedSettings, settingsUpdates } from './settings.change.ts'
import { effectiveSettings } from './settings.view.ts'

/** Cost of the hash of a password for addresses of flows; launchers check it on each request. */
const bcryptCost = 8

interface UpdateDependencies extends LifecycleDependencies {
  catalogue: Catalogue
  launch: Launch
  get(id: string): Promise<Instance>
}

/** Changes of an instance: its settings, or what it runs on. */
export function createUpdates(deps: UpdateDependencies) {
  const { database, bus, clock, audit, catalogue } = deps
  const place = (row: InstanceRow) => ({ type: 'project' as const, id: row.id, team: row.team_id })

  async function announce(tx: Tx, id: string, change: Partial<InstanceRow>): Promise<void> {
    const row = await updateInstance(tx, id, { ...change, updated_at: clock.now() })
    if (!row) throw fail('not_found')
    await bus.publish(tx, { ...instanceEvent(row, clock.now()), changed: true })
  }

  async function whole(tx: Tx, id: string): Promise<WholeInstance> {
    const row = await findWhole(tx, id)
    if (!row) throw fail('not_found')
    return row
  }

  async function saveSettings(actor: Actor, id: string, input: NonNullable<InstancePatch['settings']>) {
    const hash = async (password: string) => (await import('bcryptjs')).default.hash(password, bcryptCost)
    // Before the transaction, which must not wait for it.
    const auth = input.httpNodeAuth
    const hashed =
      typeof auth?.pass === 'string' && auth.pass !== ''
        ? { ...input, httpNodeAuth: { ...auth, pass: await hash(auth.pass) } }
        : input
    await database.transact(async (tx) => {
      const row = await whole(tx, id)
      const effective = effectiveSettings(row)
      const settings = changedSettings({
        template: templateContents({ settings: row.template_settings, policy: row.template_policy }),
        own: JSON.parse(row.settings) as StoredSettings,
        effective,
        input: hashed,
        seal: (name, value) => deps.vault.seal(value, variableContext(id, name)),
      })
      const after = effectiveSettings({ ...row, settings: JSON.stringify(settings) })
      const updates = settingsUpdates(effective, after)
      if (updates.length === 0) return
      await audit.record(tx, actor, 'project.settings.updated', place(row), { project: instanceRef(row), updates })
      await announce(tx, id, { settings: JSON.stringify(settings) })
    })
  }

  /** Another stack, of the same type or of another. What runs is restarted on it. */
  async function move(actor: Actor, instance: InstanceRow, to: { type: string; stack: string }): Promise<void> {
    const { type, stack } = await catalogue.chooseStack(to, to.type === instance.type_id)
    if (type.id === instance.type_id && stack.id === instance.stack_id) return
    const also = async (tx: Tx) => {
      const project = instanceRef(instance)
      if (type.id !== instance.type_id) {
        const projectType = { id: type.id, name: type.name }
        await audit.record(tx, actor, 'project.type.changed', place(instance), { project, projectType })
      }
      if (stack.id !== instance.stack_id) {
        const body = { project, stack: { id: stack.id, name: stack.name } }
        await audit.record(tx, actor, 'project.stack.changed', place(instance), body)
      }
      await announce(tx, instance.id, { type_id: type.id, stack_id: stack.id })
    }
    const suspended = shownState(instance, clock.now()) === 'suspended'
    if (suspended) await database.transact(also)
    else await deps.launch(instance, { state: 'restarting', kind: 'instance.restart', from: 'awake' }, { actor }, also)
  }

  /**
   * @throws Failure invalid_request for a setting that the template decides or that is not valid, invalid_stack,
   * invalid_project_type, invalid_state while something else is done to the instance.
   */
  return async (actor: Actor, role: number, instance: InstanceRow, patch: InstancePatch): Promise<InstanceChanged> => {
    const { settings, stack, projectType } = patch
    if (projectType && !stack) throw fail('invalid_request', 'Choose a stack of this type', { field: 'stack' })
    if (settings) await saveSettings(actor, instance.id, settings)
    if (stack) {
      await move(actor, instance, { type: projectType ?? instance.type_id, stack })
      return {}
    }
    const now = await deps.get(instance.id)
    return allows(role, 'project:edit') ? now : lessOf(now)
  }
}

/** What members are told (PERM-50). */
function lessOf({ id, name, url, links, createdAt, updatedAt, team, projectType, stack, meta, settings }: Instance) {
  return { id, name, url, links, createdAt, updatedAt, team, projectType, stack, meta, settings: { env: settings.env } }
}
