import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Audit } from '../audit/index.ts'
import type { BrokerClients } from '../comms/index.ts'
import type { Snapshots } from '../snapshots/index.ts'
import { fail } from '../../platform/http/failure.ts'
import type { DeviceLoads } from './loads/loads.service.ts'
import type { LogViewers } from './logs/log.viewers.ts'
import type { AgentUpdates } from './agent/agent.updates.ts'
import type { DeviceActions } from './commands/actions.service.ts'
import type { DeviceDeveloper } from './developer/developer.service.ts'
import type { DeviceEditor } from './editor/editor.service.ts'
import type { EditorTunnels } from './editor/editor.tunnels.ts'
import type { DeviceBulk } from './devices.bulk.ts'
import type { DeviceLink } from './devices.link.ts'
import type { Devices } from './devices.service.ts'
import type { Provisioning } from './provisioning.service.ts'

/** Devices, which are not there while the feature is off. */
export function deviceHandlers(
  devices: Devices,
  bulk: DeviceBulk,
  provisioning: Provisioning,
  snapshots: Snapshots,
  editor: Pick<DeviceEditor, 'isMember'>,
  audit: Pick<Audit, 'list'>,
): Handlers<RouteIdOf<'device'>> {
  return {
    async 'device.list'(_context, { query }) {
      return devices.all(query)
    },
    async 'device.listOfTeam'({ team, reach }, { query }) {
      return devices.ofTeam(team.id, reach, query)
    },
    async 'device.listOfInstance'({ instance }, { query }) {
      return devices.ofInstance(instance.id, query)
    },
    async 'device.create'({ actor, team }, { body }) {
      if (actor.kind === 'provisioning') return provisioning.register(actor, body)
      if (actor.kind === 'setup') return devices.setUp(actor)
      if (body.setup) throw fail('unauthorized')
      return devices.create(actor, team.id, body)
    },
    async 'device.chartsOfTeam'({ team, reach }) {
      return devices.charts({ teamId: team.id, reach })
    },
    async 'device.chartsOfInstance'({ instance }) {
      return devices.charts({ instanceId: instance.id })
    },
    async 'device.tagsOfTeam'({ team, reach }) {
      return { tags: await devices.tags(team.id, reach) }
    },
    async 'device.tagMany'({ actor, team }, { body }) {
      return bulk.tag(actor, team.id, body)
    },
    async 'device.assignMany'({ actor, team }, { body }) {
      return bulk.assign(actor, team.id, body)
    },
    async 'device.deleteMany'({ actor, team }, { body }) {
      return bulk.delete(actor, team.id, body.devices)
    },
    async 'device.get'({ actor, device }) {
      const details = await devices.get(device.id)
      // Visiting administrators see no address of the editor (PERM-76).
      if (details.editor.url !== undefined && !(await editor.isMember(actor, device))) delete details.editor.url
      return details
    },
    async 'device.auditLog'({ device, role, isLimited }, { query }) {
      const within = isLimited ? (device.instance_id ?? '') : undefined
      return audit.list({ type: 'device log', id: device.id, instance: device.instance_id, within }, query, { role })
    },
    async 'device.update'({ actor, device }, { body }) {
      return devices.update(actor, device.id, body)
    },
    async 'device.delete'({ actor, device }) {
      await devices.delete(actor, device.id)
      return okay
    },
    async 'device.generateCredentials'({ actor, device }) {
      return devices.generateCredentials(actor, device.id)
    },
    async 'device.settings'({ device }) {
      return { env: await devices.settings(device.id) }
    },
    async 'device.saveSettings'({ actor, device }, { body }) {
      await devices.saveSettings(actor, device.id, body.env)
      return okay
    },
    async 'device.target'({ instance }) {
      return { targetSnapshot: await snapshots.target(instance.id) }
    },
    async 'device.previewTarget'({ instance }, { query }) {
      return devices.previewTarget(instance, query.snapshot)
    },
    async 'device.setTarget'({ actor, instance }, { body }) {
      await snapshots.setTarget(actor, instance, body.targetSnapshot, body.allowStopped)
      return okay
    },
  }
}

/** Actions on the flows of devices, and on their agents. */
export function deviceActionHandlers(
  { act, restartMany }: DeviceActions,
  updates: AgentUpdates,
): Handlers<RouteIdOf<'deviceAction'>> {
  return {
    async 'deviceAction.start'({ actor, device }) {
      await act(actor, device, 'start')
      return okay
    },
    async 'deviceAction.restart'({ actor, device }) {
      await act(actor, device, 'restart')
      return okay
    },
    async 'deviceAction.restartMany'({ actor, team }, { body }) {
      return restartMany(actor, team.id, body.devices)
    },
    async 'deviceAction.suspend'({ actor, device }) {
      await act(actor, device, 'suspend')
      return okay
    },
    async 'deviceAction.updateAgent'({ actor, device }) {
      await updates.order(actor, device)
      return okay
    },
  }
}

/** Developer mode. */
export function deviceDeveloperHandlers(developer: DeviceDeveloper): Handlers<RouteIdOf<'deviceDeveloper'>> {
  return {
    'deviceDeveloper.setMode': async ({ actor, device }, { body }) => developer.setMode(actor, device.id, body.mode),
    'deviceDeveloper.snapshot': async ({ actor, device }, { body }) => developer.snapshot(actor, device, body),
  }
}

/** The editors of devices. */
export function deviceEditorHandlers(
  editor: DeviceEditor,
  tunnels: EditorTunnels,
): Handlers<RouteIdOf<'deviceEditor'>> {
  return {
    'deviceEditor.get': async ({ actor, device }) => editor.access(actor, device),
    'deviceEditor.set': async ({ actor, device }, { body }) =>
      editor.set(actor, device, body.enabled ?? body.tunnel === 'enable'),
    'deviceEditor.enter': async ({ actor, device }) => editor.enter(actor, device),
    async 'deviceEditor.token'({ request }, { params }) {
      const token = request.headers['x-access-token']
      if (typeof token !== 'string' || !(await editor.isToken(params.deviceId, token))) throw fail('unauthorized')
      return { username: 'forge', permissions: '*' }
    },
    async 'deviceEditor.comms'({ request, reply }, { params }) {
      await tunnels.take(params.deviceId, params.token, request, reply)
    },
  }
}

/** The load of devices. */
export function deviceMetricsHandlers(loads: DeviceLoads): Handlers<RouteIdOf<'deviceMetrics'>> {
  return {
    'deviceMetrics.get': async ({ device }, { query }) => loads.metrics(device.id, query.window),
  }
}

/** Logs of devices. */
export function deviceLogHandlers(
  viewers: LogViewers,
  broker: Pick<BrokerClients, 'isOn'>,
): Handlers<RouteIdOf<'deviceLog'>> {
  return {
    async 'deviceLog.stream'({ actor, device, request, reply }) {
      if (!broker.isOn) throw fail('not_found', 'This platform has no broker, which carries the logs of devices')
      await viewers.open(actor, device, request, reply)
    },
  }
}

/**
 * The calls of agents. While the feature is off they are told to come back: an agent that reads that it or its token
 * is unknown removes its flows.
 */
export function deviceLinkHandlers(link: DeviceLink): Handlers<RouteIdOf<'deviceLink'>> {
  return {
    async 'deviceLink.report'({ actor, reply }, { body }) {
      const { mismatch } = await link.report(actor.deviceId, body)
      if (!mismatch) return {}
      const { mode: _mode, agentOrder: _order, ...known } = mismatch
      const isOurs = body.agent !== undefined
      // Other agents are told their mode over the broker alone.
      if (!isOurs && mismatch.error === 'incorrect-mode') return {}
      reply.code(409)
      return isOurs ? mismatch : known
    },
    async 'deviceLink.state'({ actor }) {
      return link.state(actor.deviceId)
    },
    async 'deviceLink.snapshot'({ actor }) {
      return (await link.snapshot(actor.deviceId)) ?? {}
    },
    async 'deviceLink.settings'({ actor }) {
      return link.settings(actor.deviceId)
    },
    async 'deviceLink.audit'({ actor, reply }, { body }) {
      await link.audit(actor.deviceId, actor.address, body)
      await reply.code(200).send()
    },
  }
}
