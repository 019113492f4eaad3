import { variableContext } from '../instance-settings/index.ts'
import {
  allows,
  type EnvironmentKind,
  type Instance,
  type InstanceChanged,
  type InstanceCheck,
  type InstancePatch,
  type OnErrors,
  type TakeoverSetting,
} from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { changes } from '../audit/index.ts'
import { ownSettings, type StoredSettings } from '../catalogue/index.ts'
import { instanceRef, type LifecycleDependencies } from './instances.lifecycle.ts'
import { findWhole, type WholeInstance } from './instances.lists.store.ts'
import { type InstanceRow, lockInstance, updateInstance } from './instances.store.ts'
import { instanceEvent } from './instances.view.ts'
import { checkModulesOf } from '../modules/index.ts'
import { changedSettings, settingsUpdates, effectiveSettings, templateOf } from '../instance-settings/index.ts'

/** Cost of the hash of a password for addresses of flows; launchers check it on each request. */
const bcryptCost = 8

interface UpdateDependencies extends LifecycleDependencies {
  get(id: string): Promise<Instance>
}

/** Changes of the settings of an instance. */
export function createUpdates(deps: UpdateDependencies) {
  const { database, bus, clock, audit } = deps
  const auditScope = (row: InstanceRow) => ({ type: 'project' as const, id: row.id, team: row.team_id })

  async function announce(tx: Tx, id: string, change: Partial<InstanceRow>): Promise<void> {
    const row = await updateInstance(tx, id, { ...change, updated_at: clock.now() })
    if (!row) throw fail('not_found')
    await bus.publish(tx, { ...instanceEvent(row, clock.now()), changed: true })
  }

  /** As it is, until the transaction ends: who changes another setting meanwhile must not bring this one back. */
  async function whole(tx: Tx, id: string): Promise<WholeInstance> {
    const locked = await lockInstance(tx, id, database.kind === 'postgres')
    const row = locked && (await findWhole(tx, id))
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
        template: templateOf(row),
        own: ownSettings(row),
        effective,
        input: hashed,
        seal: (name, value) => deps.vault.seal(value, variableContext(id, name)),
      })
      checkModulesOf(row, JSON.stringify(settings))
      const after = effectiveSettings({ ...row, settings: JSON.stringify(settings) })
      const updates = settingsUpdates(effective, after)
      if (updates.length === 0) return
      await audit.record(tx, actor, 'project.settings.updated', auditScope(row), { project: instanceRef(row), updates })
      await announce(tx, id, {
        settings: JSON.stringify(settings),
        settings_revision: row.settings_revision + (needsStart(updates) ? 1 : 0),
        access_revision: row.access_revision + (protects(effective, after) ? 1 : 0),
      })
      // Its devices are protected as it is.
      if (protects(effective, after)) await bus.publish(tx, { type: 'comms', instance: id })
    })
    deps.protection.enforce(id)
  }

  /** Another thing to be asked before new contents are kept; null: nothing. */
  async function saveCheck(actor: Actor, id: string, check: InstanceCheck | null): Promise<void> {
    await database.transact(async (tx) => {
      const row = await whole(tx, id)
      const health_check = check && JSON.stringify(check)
      const updates = changes({ healthCheck: row.health_check }, { healthCheck: health_check })
      if (updates.length === 0) return
      await audit.record(tx, actor, 'project.settings.updated', auditScope(row), { project: instanceRef(row), updates })
      await announce(tx, id, { health_check })
    })
  }

  /** Sets the environment that the editor shows; null: as the stages of pipelines say. */
  async function saveEnvironment(actor: Actor, id: string, environment: EnvironmentKind | null): Promise<void> {
    await database.transact(async (tx) => {
      const row = await whole(tx, id)
      const updates = changes({ environment: row.environment }, { environment })
      if (updates.length === 0) return
      await audit.record(tx, actor, 'project.settings.updated', auditScope(row), { project: instanceRef(row), updates })
      await announce(tx, id, { environment })
    })
  }

  /** Do new contents with errors pass? */
  async function saveOnErrors(actor: Actor, id: string, on_errors: OnErrors): Promise<void> {
    await database.transact(async (tx) => {
      const row = await whole(tx, id)
      const updates = changes({ onErrors: row.on_errors }, { onErrors: on_errors })
      if (updates.length === 0) return
      await audit.record(tx, actor, 'project.settings.updated', auditScope(row), { project: instanceRef(row), updates })
      await announce(tx, id, { on_errors })
    })
  }

  /** Another way in which new contents take over. */
  async function saveTakeover(actor: Actor, id: string, takeover: TakeoverSetting): Promise<void> {
    await database.transact(async (tx) => {
      const row = await whole(tx, id)
      const updates = changes({ takeover: row.takeover }, { takeover })
      if (updates.length === 0) return
      await audit.record(tx, actor, 'project.settings.updated', auditScope(row), { project: instanceRef(row), updates })
      await announce(tx, id, { takeover })
    })
  }

  /** @throws Failure invalid_request for a setting that the template decides or that is not valid. */
  return async (
    actor: Actor,
    role: number,
    instance: InstanceRow,
    input: Pick<InstancePatch, 'settings' | 'healthCheck' | 'environment' | 'onErrors' | 'takeover'>,
  ): Promise<InstanceChanged> => {
    const { settings, healthCheck, environment, onErrors, takeover } = input
    if (settings) await saveSettings(actor, instance.id, settings)
    if (healthCheck !== undefined) await saveCheck(actor, instance.id, healthCheck)
    if (environment !== undefined) await saveEnvironment(actor, instance.id, environment)
    if (onErrors !== undefined) await saveOnErrors(actor, instance.id, onErrors)
    if (takeover !== undefined) await saveTakeover(actor, instance.id, takeover)
    const now = await deps.get(instance.id)
    return allows(role, 'project:edit') ? now : lessOf(now)
  }
}

/** Settings that count without another start of Node-RED: the platform acts on them, or tells the processes. */
const countAtOnce = /^(?:sleep|httpNodeAuth)(?:[._]|$)/

const needsStart = (updates: ReturnType<typeof settingsUpdates>) => updates.some(({ key }) => !countAtOnce.test(key))

const protects = (before: StoredSettings, after: StoredSettings) =>
  JSON.stringify(before.httpNodeAuth) !== JSON.stringify(after.httpNodeAuth)

/** The fields that members see (PERM-50). */
function lessOf({ id, name, url, links, createdAt, updatedAt, team, projectType, stack, meta, settings }: Instance) {
  return { id, name, url, links, createdAt, updatedAt, team, projectType, stack, meta, settings: { env: settings.env } }
}
