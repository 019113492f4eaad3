import { answersOnDevice, Device, DeviceAttempt, type DeviceDetails, type EnvEntry, intervals } from '@app/contract'
import { iso, since } from '../../platform/clock.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import { type Addresses, instanceSummaryView } from '../instances/index.ts'
import { teamSummaryView } from '../teams/index.ts'
import { agentUpdateView } from './agent/agent.updates.ts'
import { hasDeveloperMode } from './developer/agent.releases.ts'
import { nodeRedView } from './devices.nodered.ts'
import type { WholeDevice } from './devices.store.ts'
import { troubleView } from './devices.trouble.ts'
import { splitTags } from './tags/tags.filter.ts'

const readRefused = jsonColumn('devices.refused', Device.shape.refused)

export function deviceView(row: WholeDevice, addresses: Addresses, now: number): Device {
  const { baseUrl } = addresses
  const seen = row.last_seen_at
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    tags: splitTags(row.tags),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    lastSeenAt: seen === null ? null : iso(seen),
    lastSeenMs: seen === null ? null : Math.max(0, now - seen),
    lastSeenSince: seen === null ? null : since(Math.max(0, now - seen)),
    status: isSilent(seen, now) ? 'offline' : row.status,
    lastStatus: seen === null ? null : row.status,
    mode: row.mode,
    editor: editorView(row),
    hasDeveloperMode: hasDeveloperMode(row),
    agentVersion: row.agent_version,
    nodejsVersion: row.nodejs_version,
    nodeRedVersion: row.nodered_version,
    refused: row.refused === null ? null : readRefused(row.refused, row.id),
    takeover: row.takeover,
    sharedIdentity: row.shared_at !== null && now - row.shared_at < intervals.deviceShared,
    links: { self: `${baseUrl}/api/v1/devices/${row.id}` },
    team: teamSummaryView({ id: row.team_id, name: row.team_name, slug: row.team_slug }, baseUrl),
    ...assignment(row, addresses),
    activeSnapshot: snapshot(row.active_snapshot_id, row.active_name, row.active_description),
    targetSnapshot: snapshot(row.wanted_id, row.wanted_name, row.wanted_description),
  }
}

function editorView(row: WholeDevice): Device['editor'] {
  const enabled = row.mode === 'developer' && row.editor_token_hash !== null
  return { enabled, connected: enabled && row.editor_connected === 1 }
}

export const readAttempt = jsonColumn('devices.last_deployment', DeviceAttempt)

/**
 * A device with why its flows do not run, how its last target went, the address of its editor, updates of its agent and the settings of Node-RED,
 * which lists leave out.
 */
export function deviceDetailsView(
  row: WholeDevice,
  addresses: Addresses,
  { now, version }: { now: number; version: string },
): DeviceDetails {
  const { last_deployment: attempt, deployment_reported_at: reported } = row
  const lastDeployment =
    attempt === null || reported === null ? null : { ...readAttempt(attempt, row.id), reportedAt: iso(reported) }
  const device = deviceView(row, addresses, now)
  if (device.editor.connected && answersOnDevice(device.status)) device.editor.url = addresses.deviceEditorUrl(row.id)
  return {
    ...device,
    trouble: troubleView(row),
    lastDeployment,
    agentUpdate: agentUpdateView(row, version),
    nodeRed: nodeRedView(row),
  }
}

/** A device of which nothing was heard for so long may do anything; it is never said to run. */
export const isSilent = (seen: number | null, now: number): boolean =>
  seen === null || now - seen >= intervals.deviceSilence

function assignment(row: WholeDevice, addresses: Addresses): Pick<Device, 'instance' | 'project' | 'application'> {
  if (row.assigned_id === null) return {}
  const instance = instanceSummaryView(
    {
      id: row.assigned_id,
      application_id: row.application_id!,
      name: row.instance_name!,
      settings: row.instance_settings!,
      port: row.instance_port,
      replicas: row.instance_replicas,
      created_at: row.instance_created_at!,
      updated_at: row.instance_updated_at!,
    },
    addresses,
  )
  const self = `${addresses.baseUrl}/api/v1/applications/${row.application_id}`
  const application = { id: row.application_id!, name: row.application_name!, links: { self } }
  return { instance, project: instance, application }
}

const snapshot = (id: string | null, name: string | null, description: string | null) =>
  id === null ? null : { id, name: name ?? '', description: description ?? '' }

/** The variables that the platform gives every device; they win over all others of their name. */
export function deviceVariables(row: WholeDevice): EnvEntry[] {
  const entry = (name: string, value: string): EnvEntry => ({ name, value, platform: true })
  return [
    entry('FF_DEVICE_ID', row.id),
    entry('FF_DEVICE_NAME', row.name),
    entry('FF_DEVICE_TYPE', row.type),
    entry('FF_SNAPSHOT_ID', row.wanted_id ?? ''),
    entry('FF_SNAPSHOT_NAME', row.wanted_name ?? ''),
  ]
}
