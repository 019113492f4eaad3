import type { FeatureFlags } from '../../config.features.ts'
import type { Deploy, EditorInstance, OpenEditor, RuntimeSettings } from '@app/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { environmentOf, type StagePlace } from './environment.ts'
import type { Accounts } from '../account/index.ts'
import type { Audit } from '../audit/index.ts'
import { stackProperties, type StoredSettings } from '../catalogue/index.ts'
import {
  type Addresses,
  effectiveSettings,
  findInstance,
  findWhole,
  instanceEvent,
  instanceRef,
  lockInstance,
  type OpenEditors,
  plainVariables,
  prepareFlows,
  readStorage,
  settingsWithModule,
  settingsWithModules,
  storageContext,
  type StorageKind,
  updateInstance,
  type Versions,
  type WholeInstance,
  writeStorage,
} from '../instances/index.ts'

export interface RuntimeDependencies {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
  accounts: Accounts
  roleOf(teamId: string, userId: string): Promise<number | undefined>
  vault: Vault
  addresses: Addresses
  /** Those of these people who are members of a team, in no order. */
  membersOf(teamId: string, userIds: readonly string[]): Promise<OpenEditor[]>
  /** The places of an instance in pipelines. */
  stagesOf(instanceId: string): Promise<StagePlace[]>
  features: FeatureFlags
  versions: Versions
}

interface Report {
  event: string
  timestamp?: number | undefined
  user?: unknown
  error?: unknown
  [key: string]: unknown
}

export type Runtime = ReturnType<typeof createRuntime>

/** Flows are what people search and compare; everything else may hold secrets and is sealed. */
const sealed = (kind: StorageKind) => kind !== 'flows'

/** Events that the platform records of its own acts: coming from an instance they would put words into its mouth. */
const own = /^(account|application|platform|project|team|user)\./

/** What a running instance asks of the platform and tells it. */
export function createRuntime(deps: RuntimeDependencies) {
  const { database, bus, clock, audit, vault, addresses, versions } = deps

  /** Only members have business in an editor: an instance must not put the names of others into a log. */
  async function memberOf(teamId: string, userId: string | undefined) {
    const person = await deps.accounts.find(userId)
    return person && (await deps.roleOf(teamId, person.id)) !== undefined ? person : undefined
  }

  async function remember(
    tx: Tx,
    id: string,
    now: number,
    change: (row: WholeInstance) => StoredSettings | undefined,
  ): Promise<void> {
    // A person may be changing other settings.
    const locked = await lockInstance(tx, id, database.kind === 'postgres')
    const row = locked && (await findWhole(tx, id))
    const settings = row && change(row)
    if (settings) await updateInstance(tx, id, { settings: JSON.stringify(settings), updated_at: now })
  }

  return {
    async settings(id: string): Promise<RuntimeSettings> {
      const row = await findWhole(database.read, id)
      if (!row) throw fail('not_found')
      // While it is being started it reads what it shall become, which is recorded when it has.
      const rising = row.in_flight === 'starting' || row.in_flight === 'restarting'
      if (row.wanted === 'suspended' && !rising) throw fail('project_suspended')
      const { env: _env, ...settings } = effectiveSettings(row)
      const modules = settings.palette?.modules ?? []
      return {
        env: plainVariables(vault, row),
        baseURL: addresses.instanceUrl(row.name),
        forgeURL: addresses.baseUrl,
        fileStore: null,
        teamID: row.team_id,
        storageURL: `${addresses.baseUrl}/storage`,
        auditURL: `${addresses.baseUrl}/logging`,
        state: rising ? 'running' : row.wanted,
        stack: stackProperties({ properties: row.stack_properties }),
        settings: {
          ...settings,
          palette: {
            ...settings.palette,
            modules: Object.fromEntries(modules.map(({ name, version }) => [name, version])),
          },
        },
        ...(row.replicas === null ? {} : { ha: { replicas: row.replicas } }),
        features: { 'shared-library': deps.features['shared-library'], projectComms: false },
      }
    },

    async editor(id: string): Promise<EditorInstance> {
      const row = await findWhole(database.read, id)
      if (!row) throw fail('not_found')
      const environment = environmentOf(await deps.stagesOf(id)) ?? null
      return { application: row.application_name, team: row.team_name, environment }
    },

    /** Remembers who has the editor open, and tells browsers. A late report of an earlier process changes nothing. */
    async reportEditors(
      { instanceId, teamId }: { instanceId: string; teamId: string },
      { startedAt, users }: { startedAt: number; users: string[] },
    ): Promise<void> {
      const people = await deps.membersOf(teamId, users)
      const open: OpenEditors = { startedAt, users: people }
      await database.transact(async (tx) => {
        const locked = await lockInstance(tx, instanceId, database.kind === 'postgres')
        if (!locked) throw fail('not_found')
        const before = JSON.parse(locked.open_editors ?? '{"startedAt":0}') as OpenEditors
        if (before.startedAt > startedAt) return
        const row = await updateInstance(tx, instanceId, { open_editors: JSON.stringify(open) })
        if (row) await bus.publish(tx, instanceEvent(row, clock.now()))
      })
    },

    /** The stored value as JSON text, or `empty` when nothing was stored yet. */
    async load(id: string, kind: StorageKind, empty: string): Promise<string> {
      const body = await readStorage(database.read, id, kind)
      if (body === undefined) return empty
      return sealed(kind) ? vault.open(body, storageContext(id, kind)) : body
    },

    async save(id: string, kind: StorageKind, value: unknown): Promise<void> {
      const text = JSON.stringify(value)
      const now = clock.now()
      const flows = kind === 'flows' ? await prepareFlows(text, value) : undefined
      await database.transact(async (tx) => {
        // Launchers of the installed base say neither who deploys nor what they began from.
        if (flows) return versions.write(tx, id, { flows }, { kind: 'deploy' })
        if (kind === 'settings')
          await remember(tx, id, now, (row) => settingsWithModules(row, (value as { nodes?: unknown }).nodes))
        await writeStorage(tx, id, kind, vault.seal(text, storageContext(id, kind)), now)
      })
    },

    /** @throws Failure flows_replaced when what the deploy began from is no longer what is stored. */
    async deploy(actor: { instanceId: string; teamId: string }, input: Deploy): Promise<{ revision: string }> {
      const person = await memberOf(actor.teamId, input.user)
      return versions.deploy(actor.instanceId, input, person && { id: person.id, name: person.name })
    },

    /**
     * Records what happened inside Node-RED, with the person who did it where Node-RED knows; a module that was
     * installed or removed is so in the list of the instance too.
     * @throws Failure invalid_request for an event of the platform's own.
     */
    async report(
      id: string,
      address: string,
      { event, timestamp: _timestamp, user, error, ...info }: Report,
    ): Promise<void> {
      if (own.test(event))
        throw fail('invalid_request', 'This event is recorded by the platform itself', { field: 'event' })
      const row = await findInstance(database.read, id)
      if (!row) throw fail('not_found')
      const person = await memberOf(row.team_id, userIdOf(user))
      const trigger = person
        ? {
            trigger_id: person.id,
            trigger_type: 'user' as const,
            trigger_name: person.name,
            username: person.username,
            address,
          }
        : { trigger_id: row.id, trigger_type: 'system' as const, trigger_name: row.name, username: null, address }
      const fault = asError(error)
      const key = event === 'start-failed' ? 'project.start-failed' : event
      const body = {
        project: instanceRef(row),
        ...(Object.keys(info).length > 0 ? { info } : {}),
        ...(fault ? { error: fault } : {}),
      }
      await database.transact(async (tx) => {
        await audit.recordReported(tx, trigger, key, { type: 'project', id, team: row.team_id }, body)
        if (!fault && (event === 'nodes.install' || event === 'nodes.remove'))
          await remember(tx, id, clock.now(), (whole) => settingsWithModule(whole, event, info))
      })
    },
  }
}

/** Launchers send the id alone or an object that holds it. */
function userIdOf(user: unknown): string | undefined {
  if (typeof user === 'string') return user
  const { id, userId } = (user ?? {}) as { id?: unknown; userId?: unknown }
  const found = userId ?? id
  return typeof found === 'string' ? found : undefined
}

function asError(error: unknown): { code: string; message: string } | undefined {
  if (error === undefined || error === null) return undefined
  if (typeof error === 'string') return { code: 'unexpected_error', message: error.slice(0, 2_000) }
  const { code, error: text, message } = error as { code?: unknown; error?: unknown; message?: unknown }
  return {
    code: (typeof code === 'string' ? code : 'unexpected_error').slice(0, 100),
    message: ([text, message].find((part) => typeof part === 'string') ?? 'Unknown error').slice(0, 2_000),
  }
}
