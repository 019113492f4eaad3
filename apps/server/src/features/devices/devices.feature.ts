import { limited } from '@app/contract'
import type { UserActor } from '../../platform/authz/actor.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { whole } from '../../platform/keys/sealed.columns.ts'
import { deviceCallers } from './devices.callers.ts'
import { serveAgent } from './agent/agent.downloads.ts'
import { type AgentPackage, createAgentPackage } from './agent/agent.package.ts'
import { type AgentUpdates, createAgentUpdates } from './agent/agent.updates.ts'
import { createDeviceActions, type DeviceActions } from './commands/actions.service.ts'
import { createDeviceCommands, type DeviceCommands } from './commands/device.commands.ts'
import { requestContext, requestSweep } from './commands/requests.store.ts'
import { codeSweep } from './device-codes.store.ts'
import { createDeviceControl, type DeviceControl } from './devices.control.ts'
import { createDeviceBulk, type DeviceBulk } from './devices.bulk.ts'
import { createDeviceDeveloper, type DeviceDeveloper } from './developer/developer.service.ts'
import { createDeviceEditor, type DeviceEditor } from './editor/editor.service.ts'
import { createEditorGateway, type EditorGateway } from './editor/editor.gateway.ts'
import { createEditorHosts, type EditorHosts } from './editor/editor.hosts.ts'
import { createEditorProofs, type EditorProofs } from './editor/editor.proofs.ts'
import { editorSessionSweep } from './editor/editor.store.ts'
import { createEditorTunnels, type EditorTunnels } from './editor/editor.tunnels.ts'
import { createDeviceIdentity, type DeviceIdentity } from './devices.identity.ts'
import { createDeviceLink, type DeviceLink } from './devices.link.ts'
import { createDeviceRecords, type DeviceRecords } from './devices.records.ts'
import {
  deviceActionHandlers,
  deviceDeveloperHandlers,
  deviceEditorHandlers,
  deviceHandlers,
  deviceLinkHandlers,
  deviceLogHandlers,
  deviceMetricsHandlers,
} from './devices.routes.ts'
import { envContext, secretContext } from './devices.secrets.ts'
import { createDevices, type Devices } from './devices.service.ts'
import { roleThere } from '../application-members/index.ts'
import { type DeviceRow, loadDevice } from './devices.store.ts'
import { createDeviceLoads, type DeviceLoads } from './loads/loads.service.ts'
import { loadSweep } from './loads/loads.store.ts'
import { createLogStreams, type LogStreams } from './logs/log.streams.ts'
import { createLogViewers, type LogViewers } from './logs/log.viewers.ts'
import { watcherSweep } from './logs/watchers.store.ts'
import { provisioningHandlers } from './provisioning.routes.ts'
import { createProvisioning, type Provisioning } from './provisioning.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    agentPackage: AgentPackage
    agentUpdates: AgentUpdates
    devices: Devices
    deviceLink: DeviceLink
    deviceRecords: DeviceRecords
    deviceBulk: DeviceBulk
    deviceIdentity: DeviceIdentity
    deviceControl: DeviceControl
    deviceCommands: DeviceCommands
    deviceActions: DeviceActions
    deviceDeveloper: DeviceDeveloper
    deviceEditor: DeviceEditor
    editorGateway: EditorGateway
    editorHosts: EditorHosts
    editorProofs: EditorProofs
    editorTunnels: EditorTunnels
    deviceLoads: DeviceLoads
    logStreams: LogStreams
    logViewers: LogViewers
    provisioning: Provisioning
  }
  interface Hooks {
    /** Before a device is written. A listener may refuse it. */
    'device.coming': (tx: Tx, device: Pick<DeviceRow, 'team_id'>) => Promise<void>
  }
}

export const devicesFeature = defineFeature({
  name: 'devices',
  shares: ['devices'],
  provides: {
    agentPackage: createAgentPackage,
    agentUpdates: createAgentUpdates,
    deviceRecords: createDeviceRecords,
    devices: createDevices,
    deviceLink: (services) => createDeviceLink(also(services, { steadySeconds: services.config.steadySeconds })),
    deviceControl: createDeviceControl,
    deviceCommands: createDeviceCommands,
    deviceActions: createDeviceActions,
    deviceDeveloper: createDeviceDeveloper,
    deviceEditor: createDeviceEditor,
    editorHosts: createEditorHosts,
    editorProofs: createEditorProofs,
    editorTunnels: createEditorTunnels,
    editorGateway: (services) =>
      createEditorGateway(
        also(services, {
          home: services.config.home,
          features: services.switches,
          stillSignedIn: async (actors: UserActor[]) => services.ownSessions.signedIn(actors),
        }),
      ),
    deviceBulk: createDeviceBulk,
    deviceIdentity: createDeviceIdentity,
    deviceLoads: createDeviceLoads,
    logStreams: createLogStreams,
    logViewers: (services) =>
      createLogViewers(
        also(services, {
          consoleOrigin: new URL(services.baseUrl).origin,
          actorOf: services.tokens.actorOf,
          stillSignedIn: async (actors: UserActor[]) => services.ownSessions.signedIn(actors),
        }),
      ),
    provisioning: createProvisioning,
  },
  routes: ({
    agentUpdates,
    audit,
    brokerClients,
    devices,
    deviceActions,
    deviceDeveloper,
    deviceEditor,
    editorTunnels,
    deviceBulk,
    deviceLink,
    deviceLoads,
    logViewers,
    provisioning,
    snapshots,
  }) => ({
    ...deviceHandlers(devices, deviceBulk, provisioning, snapshots, deviceEditor, audit),
    ...deviceActionHandlers(deviceActions, agentUpdates),
    ...deviceDeveloperHandlers(deviceDeveloper),
    ...deviceEditorHandlers(deviceEditor, editorTunnels),
    ...deviceMetricsHandlers(deviceLoads),
    ...deviceLogHandlers(logViewers, brokerClients),
    ...provisioningHandlers(provisioning),
    ...deviceLinkHandlers(deviceLink),
  }),
  serve: serveAgent,
  targets: ({ database }) => ({
    device: {
      keys: ['deviceId'],
      async load({ deviceId }, userId) {
        const row = deviceId === undefined ? undefined : await loadDevice(database.read, deviceId, userId)
        return row && { teamId: row.team_id, role: roleThere(row), device: row, isLimited: row.role === limited }
      },
    },
  }),
  identify({ deviceIdentity }, { bearer, address }) {
    return deviceIdentity.identify(bearer, address)
  },
  callers: () => deviceCallers,
  runs: {
    deviceControl: ({ deviceControl }) => deviceControl,
    deviceCommands: ({ deviceCommands }) => deviceCommands,
    deviceLoads: ({ deviceLoads }) => deviceLoads,
    editorTunnels: ({ editorTunnels }) => editorTunnels,
    editorGateway: ({ editorGateway }) => editorGateway,
    logStreams: ({ logStreams }) => logStreams,
    logViewers: ({ logViewers }) => logViewers,
  },
  hooks: {
    // Its devices are told to run nothing, and exchange no messages any more.
    'instance.deleted':
      ({ bus }) =>
      async (tx, id) => {
        await bus.publish(tx, { type: 'comms', instance: id })
        await bus.publish(tx, { type: 'comms' })
      },
    'instance.coming':
      ({ bus }) =>
      async (tx) =>
        bus.publish(tx, { type: 'comms' }),
    'user.changed':
      ({ provisioning }) =>
      async (tx, actor, userId, { suspended }) => {
        if (suspended) await provisioning.endOf(tx, actor, userId)
      },
  },
  sweeps: [editorSessionSweep, codeSweep, requestSweep, watcherSweep, loadSweep],
  backup: {
    leaveOut: ['device_editor_sessions', 'device_codes', 'device_requests', 'device_log_watchers', 'device_loads'],
  },
  sealed: [
    { table: 'devices', key: ['id'], column: 'credential_secret', find: whole(({ id = '' }) => secretContext(id)) },
    {
      table: 'device_requests',
      key: ['id'],
      column: 'payload',
      find: whole(({ id = '' }) => requestContext(id)),
    },
    { table: 'devices', key: ['id'], column: 'env', find: whole(({ id = '' }) => envContext(id)) },
  ],
})
