import * as z from 'zod/mini'
import { jsonColumn } from '../../platform/db/json.ts'
import {
  DriverState,
  FlowsStopped,
  InstanceCheck,
  type Instance,
  type InstanceListed,
  type InstanceState,
  type InstanceSummary,
  OpenEditor,
  type Replica,
  type Usage,
  Versions,
} from '@app/contract'
import { flowsStoppedSentence } from '../flows/index.ts'
import type { Usage as DriverUsage } from '@app/drivers'
import { iso, since } from '../../platform/clock.ts'
import { withRefusals } from '../modules/index.ts'
import { effectiveSettings, platformVariables, templateOf } from '../instance-settings/index.ts'
import { ownSettings, stackLinks, stackProperties, settingsView, templateLinks } from '../catalogue/index.ts'
import { teamSummaryView } from '../teams/index.ts'
import type { ListedInstance, SummaryInstance, ViewedInstance } from './instances.lists.store.ts'
import type { BriefInstance, InstanceRow } from './instances.store.ts'

/** Addresses of the console and of instances, from the configuration. */
export interface Addresses {
  baseUrl: string
  /** Address of an instance, without a trailing slash. */
  instanceUrl(row: Pick<InstanceRow, 'name' | 'port'>): string
  /** Address of the editor of a device, by its id. */
  deviceEditorUrl(id: string): string
}

/** The first of: what the platform does to it, suspended, what the driver saw (docs/specification/states.md). */
export function shownState(
  row: Pick<BriefInstance, 'in_flight' | 'in_flight_until' | 'wanted' | 'observed'>,
  now: number,
): string {
  if (row.in_flight !== null && row.in_flight_until > now) return isDeploying(row, now) ? 'importing' : row.in_flight
  return row.wanted === 'suspended' ? 'suspended' : row.observed
}

/** Is something pushed to it from another instance? */
const isDeploying = (row: Pick<BriefInstance, 'in_flight' | 'in_flight_until'>, now: number): boolean =>
  row.in_flight === 'deploying' && row.in_flight_until > now

export function stateView(row: BriefInstance, now: number): InstanceState {
  const state = shownState(row, now)
  const up = state === 'running' || state === 'safe'
  const lagging = up ? laggingReplica(row) : undefined
  const reason = lagging ? lagging.reason : row.reason
  return {
    ...(row.flows_updated_at === null
      ? {}
      : {
          flowLastUpdatedAt: iso(row.flows_updated_at),
          flowLastUpdatedSince: since(Math.max(0, now - row.flows_updated_at)),
        }),
    meta: {
      state: lagging?.state ?? state,
      isDeploying: isDeploying(row, now),
      id: row.id,
      ...(row.asleep === 1 && state === 'suspended' ? { sleeping: true as const } : {}),
      ...(row.last_start_at === null || !up ? {} : { lastStartTime: iso(row.last_start_at) }),
      ...(row.versions === null ? {} : { versions: instanceJson.versions(row.versions, row.id) }),
      ...(reason === null || reason === undefined ? {} : { reason }),
      ...(row.members === null || state === 'suspended' ? {} : { replicas: replicasView(row.members, row.id) }),
      ...(up ? editorsView(row) : {}),
      ...(row.restart === null || state !== 'crashed' ? {} : { restart: restartView(row.restart, row.id) }),
      ...(up ? notInForce(row) : {}),
      ...(state === 'running' ? stoppedView(row) : {}),
    },
  }
}

/** All processes of an instance have to run before it does: finds the one that does not. */
function laggingReplica({ id, replicas, members }: BriefInstance): Pick<Replica, 'state' | 'reason'> | undefined {
  if (replicas === null) return undefined
  const found = members === null ? [] : replicasView(members, id)
  return found.find(({ state }) => state !== 'running') ?? (found.length < replicas ? { state: 'starting' } : undefined)
}

/** Node-RED runs, and its flows do not. */
function stoppedView({ id, flows_stopped }: BriefInstance): Pick<InstanceState['meta'], 'flowsStopped'> {
  if (flows_stopped === null) return {}
  const stopped = instanceJson.flowsStopped(flows_stopped, id)
  const { missingTypes, missingModules } = stopped
  const modules = missingModules.map(({ module }) => module)
  return { flowsStopped: { reason: flowsStoppedSentence(stopped), missingTypes, missingModules: modules } }
}

/** Saved settings that the running process does not have yet. */
function notInForce(row: BriefInstance): Pick<InstanceState['meta'], 'notInForce'> {
  const found = {
    ...(row.settings_running < row.settings_revision ? { settings: true as const } : {}),
    ...(isUnprotected(row) ? { access: true as const } : {}),
    ...(row.modules_fault === null ? {} : { modules: row.modules_fault }),
  }
  return Object.keys(found).length > 0 ? { notInForce: found } : {}
}

/** Do its processes not enforce yet who may reach the addresses of its flows? */
export const isUnprotected = (row: Pick<InstanceRow, 'access_running' | 'access_revision'>): boolean =>
  row.access_running < row.access_revision

/** The event for browsers when the state of an instance changed. */
export function instanceEvent(row: BriefInstance, now: number) {
  const { id, team_id: team, application_id: application } = row
  return { type: 'instance' as const, team, application, id, state: stateView(row, now) }
}

/** Reported by the process that started then. */
export const OpenEditors = z.object({ startedAt: z.number(), users: z.array(OpenEditor) })
export type OpenEditors = z.infer<typeof OpenEditors>

/** Readers of the JSON columns of an instance. */
export const instanceJson = {
  versions: jsonColumn('instances.versions', Versions),
  flowsStopped: jsonColumn('instances.flows_stopped', FlowsStopped),
  openEditors: jsonColumn('instances.open_editors', OpenEditors),
  healthCheck: jsonColumn('instances.health_check', InstanceCheck),
  restart: jsonColumn('instances.restart', z.object({ crashes: z.number(), at: z.number(), safe: z.boolean() })),
  /** Each process of an instance that has several, as far as people are told. */
  members: jsonColumn(
    'instances.members',
    z.array(
      z.object({
        src: z.string(),
        state: DriverState,
        reason: z.optional(z.string()),
        restart: z.optional(z.object({ at: z.number() })),
      }),
    ),
  ),
}

/** The report of an ended process does not count. */
function editorsView({ id, open_editors, last_start_at }: BriefInstance): { editors?: OpenEditor[] } {
  if (open_editors === null) return {}
  const { startedAt, users } = instanceJson.openEditors(open_editors, id)
  return users.length > 0 && startedAt === last_start_at ? { editors: users } : {}
}

function replicasView(json: string, id: string): Replica[] {
  return instanceJson.members(json, id).map(({ src, state, reason, restart }) => ({
    id: src,
    state,
    ...(reason === undefined ? {} : { reason }),
    ...(restart === undefined ? {} : { restartAt: iso(restart.at) }),
  }))
}

const haView = ({ replicas }: Pick<InstanceRow, 'replicas'>) => (replicas === null ? {} : { ha: { replicas } })

function restartView(json: string, id: string): NonNullable<InstanceState['meta']['restart']> {
  const { crashes, at, safe } = instanceJson.restart(json, id)
  return { crashes, at: iso(at), safe }
}

export function instanceSummaryView(row: SummaryInstance, addresses: Addresses): InstanceSummary {
  const settings = ownSettings(row)
  return {
    id: row.id,
    name: row.name,
    url: addresses.instanceUrl(row),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    links: { self: `${addresses.baseUrl}/api/v1/projects/${row.id}` },
    settings: { disableEditor: settings.disableEditor === true },
    ...haView(row),
  }
}

/** Many instances, of which most have the same few templates. */
export function instanceViews(rows: readonly ViewedInstance[], addresses: Addresses, now: number): Instance[] {
  const templates = new Map<string, ReturnType<typeof templateOf>>()
  return rows.map((row) => {
    const template = templates.get(row.template_id) ?? templateOf(row)
    templates.set(row.template_id, template)
    return instanceView(row, addresses, now, template)
  })
}

const applicationView = (row: ListedInstance, { baseUrl }: Addresses) => ({
  id: row.application_id,
  name: row.application_name,
  links: { self: `${baseUrl}/api/v1/applications/${row.application_id}` },
})

/** As a list shows it. */
export const listedView = (row: ListedInstance, addresses: Addresses, now: number): InstanceListed => ({
  ...instanceSummaryView(row, addresses),
  ...stateView(row, now),
  application: applicationView(row, addresses),
})

export function instanceView(
  row: ViewedInstance,
  addresses: Addresses,
  now: number,
  template = templateOf(row),
): Instance {
  const { baseUrl } = addresses
  const url = addresses.instanceUrl(row)
  const settings = settingsView(withRefusals(row, effectiveSettings(row, template)))
  return {
    ...instanceSummaryView(row, addresses),
    ...stateView(row, now),
    safeName: row.name.toLowerCase(),
    url,
    hostname: new URL(url).hostname,
    application: applicationView(row, addresses),
    team: teamSummaryView({ id: row.team_id, name: row.team_name, slug: row.team_slug }, baseUrl),
    projectType: { id: row.type_id, name: row.type_name },
    stack: {
      id: row.stack_id,
      name: row.stack_name,
      label: row.stack_label,
      properties: stackProperties({ properties: row.stack_properties }),
      ...(row.stack_replaced_by ? { replacedBy: row.stack_replaced_by } : {}),
      links: stackLinks(row.stack_id, baseUrl),
    },
    template: {
      id: row.template_id,
      name: row.template_name,
      description: row.template_description,
      settings: settingsView(template.settings),
      policy: template.policy,
      links: templateLinks(row.template_id, baseUrl),
    },
    settings: { ...settings, env: [...platformVariables(row), ...(settings.env ?? [])] },
    targetSnapshot:
      row.target_id === null
        ? null
        : { id: row.target_id, name: row.target_name ?? '', description: row.target_description ?? '' },
    deviceSettings: { targetSnapshot: row.target_id },
    sleepObstacle: row.sleep_obstacle,
    takeover: row.takeover,
    healthCheck: row.health_check === null ? null : instanceJson.healthCheck(row.health_check, row.id),
    environment: row.environment,
    onErrors: row.on_errors,
  }
}

export function usageView({ cpuMs, memoryMb, eventLoop, hungSince }: DriverUsage, at: number): Usage {
  return {
    at,
    cpuMs,
    memoryMb,
    ...(eventLoop ? { delayMs: eventLoop.delayMs } : {}),
    ...(hungSince === undefined ? {} : { hungSince: iso(hungSince) }),
  }
}
