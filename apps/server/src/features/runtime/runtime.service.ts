import {
  type Deploy,
  type EditorInstance,
  type EventReport,
  isReading,
  type OpenEditor,
  type RuntimeSettings,
  type Switches,
} from '@app/contract'
import type { Driver } from '@app/drivers'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { fail } from '../../platform/http/failure.ts'
import { environmentOf, type StagePosition } from './environment.ts'
import { type Audit, type Named, namedId, reportedError, reportTrigger } from '../audit/index.ts'
import { stackProperties } from '../catalogue/index.ts'
import {
  type Addresses,
  changeSettings,
  findInstance,
  findWhole,
  instanceEvent,
  instanceRef,
  lockInstance,
  instanceJson,
  type OpenEditors,
  updateInstance,
} from '../instances/index.ts'
import type { Messages } from '../comms/index.ts'
import { effectiveSettings, plainVariables } from '../instance-settings/index.ts'
import { namesIn, type Noted, settingsWithModule, settingsWithModules } from '../modules/index.ts'
import { prepareFlows, type Versions } from '../versions/index.ts'
import { readStorage, storageContext, type StorageKind, writeStorage } from '../storage/index.ts'

export interface RuntimeDependencies {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
  /** The person, if they belong to the team: an instance must not put the names of others into a log. */
  memberOf(teamId: string, userId: string | undefined): Promise<Named['person'] | undefined>
  /** The person who has the editor of an instance open, by the token that the instance was given for them. */
  editorOf(token: string, instanceId: string): Promise<{ id: string; mayDeploy: boolean } | undefined>
  /** From where this person opened the editor of an instance last. */
  editorAddress(userId: string, instanceId: string): Promise<string | undefined>
  vault: Vault
  addresses: Addresses
  /** The members of a team among these people, in no order. */
  membersOf(teamId: string, userIds: readonly string[]): Promise<OpenEditor[]>
  /** The places of an instance in pipelines. */
  stagesOf(instanceId: string): Promise<StagePosition[]>
  features: Switches
  messages: Messages
  contextMb: number
  versions: Versions
  driver: Driver
}

export type Runtime = ReturnType<typeof createRuntime>

/** Flows are what people search and compare; everything else may hold secrets and is sealed. */
const sealed = (kind: StorageKind) => kind !== 'flows'

/** Events of people who may look at flows and change none. */
const byViewers = /^(auth\.|permission\.|api\.|settings\.)/

/** The calls of a running instance: it asks for its settings and reports its state. */
export function createRuntime(deps: RuntimeDependencies) {
  const { database, bus, clock, audit, vault, addresses, versions } = deps

  /** Person that an instance names. The token of their editor shows that it was them. */
  async function namedBy(
    { id, teamId }: { id: string; teamId: string },
    userId: string | undefined,
    editorToken: string | undefined,
    isChange: boolean,
  ): Promise<Named | undefined> {
    const shown = editorToken === undefined ? undefined : await deps.editorOf(editorToken, id)
    const person = await deps.memberOf(teamId, userId ?? shown?.id)
    return person && { person, isKnown: person.id === shown?.id && (shown.mayDeploy || !isChange) }
  }

  /** Modules that an instance reports as installed are looked for in its folder. */
  const installedOf = async (id: string, names: readonly string[]) =>
    names.length === 0 ? {} : deps.driver.installedModules(id, names)

  return {
    async settings(id: string): Promise<RuntimeSettings> {
      const row = await findWhole(database.read, id)
      if (!row) throw fail('not_found')
      // While it is being started it reads what it shall become, which is recorded when it has.
      const isStarting = row.in_flight === 'starting' || row.in_flight === 'restarting'
      if (row.wanted === 'suspended' && !isStarting) throw fail('project_suspended')
      const { env: _env, ...settings } = effectiveSettings(row)
      const modules = settings.palette?.modules ?? []
      const projectLink = await deps.messages.ofInstance(row)
      return {
        // For launchers that the platform did not start itself: a folder of its own where they run.
        projectID: id,
        rootDir: '.',
        userDir: id,
        port: 1880,
        env: plainVariables(vault, row),
        baseURL: addresses.instanceUrl(row),
        forgeURL: addresses.baseUrl,
        fileStore: null,
        teamID: row.team_id,
        storageURL: `${addresses.baseUrl}/storage`,
        auditURL: `${addresses.baseUrl}/logging`,
        state: isStarting ? 'running' : row.wanted,
        stack: stackProperties({ properties: row.stack_properties }),
        settings: {
          ...settings,
          palette: {
            ...settings.palette,
            modules: Object.fromEntries(modules.map(({ name, version }) => [name, version])),
          },
        },
        ...(row.replicas === null ? {} : { ha: { replicas: row.replicas } }),
        contextMb: deps.contextMb,
        features: { 'shared-library': deps.features['shared-library'], projectComms: projectLink !== undefined },
        ...(projectLink && { projectLink }),
      }
    },

    async editor(id: string): Promise<EditorInstance> {
      const row = await findWhole(database.read, id)
      if (!row) throw fail('not_found')
      const environment = environmentOf(await deps.stagesOf(id), row.environment) ?? null
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
        const before = locked.open_editors
        if (before !== null && instanceJson.openEditors(before, instanceId).startedAt > startedAt) return
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
      const noted = (value ?? {}) as Noted
      const installed = kind === 'settings' ? await installedOf(id, namesIn(noted)) : {}
      await database.transact(async (tx) => {
        // Launchers of the installed base say neither who deploys nor what they began from.
        if (flows) return versions.write(tx, id, { flows }, { kind: 'deploy' })
        if (kind === 'settings') await changeSettings(deps, tx, id, (row) => settingsWithModules(row, noted, installed))
        await writeStorage(tx, id, kind, vault.seal(text, storageContext(id, kind)), now)
      })
    },

    /** @throws Failure flows_replaced when what the deploy began from is no longer what is stored. */
    async deploy(actor: { instanceId: string; teamId: string }, input: Deploy): Promise<{ revision: string }> {
      const { instanceId: id, teamId } = actor
      const named = await namedBy({ id, teamId }, input.user, input.editorToken, true)
      const by = named && { id: named.person.id, name: named.person.name, claimed: !named.isKnown }
      return versions.deploy(id, input, by)
    },

    /**
     * Records what happened inside Node-RED, with the person who did it where Node-RED knows; a module that was
     * installed or removed is so in the list of the instance too.
     */
    async report(
      id: string,
      address: string,
      { event, timestamp: _timestamp, user, editorToken, error, ...info }: EventReport,
    ): Promise<void> {
      if (isReading(event)) return
      const row = await findInstance(database.read, id)
      if (!row) throw fail('not_found')
      const named = await namedBy({ id, teamId: row.team_id }, namedId(user), editorToken, !byViewers.test(event))
      // The instance calls from this machine; the person was where they opened the editor.
      const from = named?.isKnown ? ((await deps.editorAddress(named.person.id, id)) ?? '') : address
      const { trigger, claim } = reportTrigger(row, from, named)
      const fault = reportedError(error)
      const key = event === 'start-failed' ? 'project.start-failed' : event
      const body = {
        project: instanceRef(row),
        ...claim,
        ...(Object.keys(info).length > 0 ? { info } : {}),
        ...(fault ? { error: fault } : {}),
      }
      const isInstall = event === 'nodes.install' && typeof info.module === 'string'
      const installed = isInstall ? await installedOf(id, [String(info.module)]) : {}
      await database.transact(async (tx) => {
        await audit.recordReported(tx, trigger, key, { type: 'project', id, team: row.team_id }, body)
        if (!fault && (event === 'nodes.install' || event === 'nodes.remove'))
          await changeSettings(deps, tx, id, (whole) => settingsWithModule(whole, event, info, installed))
      })
    },
  }
}
