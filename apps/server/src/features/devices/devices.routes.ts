import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Snapshots } from '../snapshots/index.ts'
import type { DeviceLink } from './devices.link.ts'
import type { Devices } from './devices.service.ts'

/** Devices, which are not there while the feature is off. */
export function deviceHandlers(devices: Devices, snapshots: Snapshots, isOn: boolean): Handlers<RouteIdOf<'device'>> {
  const offered = () => {
    if (!isOn) throw fail('not_found', 'Devices are switched off on this platform')
  }
  return {
    async 'device.list'(_context, { query }) {
      offered()
      return devices.all(query)
    },
    async 'device.listOfTeam'({ team }, { query }) {
      offered()
      return devices.ofTeam(team.id, query)
    },
    async 'device.listOfInstance'({ instance }, { query }) {
      offered()
      return devices.ofInstance(instance.id, query)
    },
    async 'device.create'({ actor, team }, { body }) {
      offered()
      return devices.create(actor, team.id, body)
    },
    async 'device.get'({ device }) {
      offered()
      return devices.get(device.id)
    },
    async 'device.update'({ actor, device }, { body }) {
      offered()
      return devices.update(actor, device.id, body)
    },
    async 'device.delete'({ actor, device }) {
      offered()
      await devices.delete(actor, device.id)
      return okay
    },
    async 'device.generateCredentials'({ actor, device }) {
      offered()
      return devices.generateCredentials(actor, device.id)
    },
    async 'device.settings'({ device }) {
      offered()
      return { env: await devices.settings(device.id) }
    },
    async 'device.saveSettings'({ actor, device }, { body }) {
      offered()
      await devices.saveSettings(actor, device.id, body.env)
      return okay
    },
    async 'device.target'({ instance }) {
      offered()
      return { targetSnapshot: await snapshots.target(instance.id) }
    },
    async 'device.setTarget'({ actor, instance }, { body }) {
      offered()
      await snapshots.setTarget(actor, instance, body.targetSnapshot)
      return okay
    },
  }
}

/**
 * What agents call. While the feature is off they are told to come back: to one that reads that it is unknown, or that
 * its token is, an agent answers by removing what it runs.
 */
export function deviceLinkHandlers(link: DeviceLink, isOn: boolean): Handlers<RouteIdOf<'deviceLink'>> {
  const offered = () => {
    if (!isOn) throw fail('devices_unavailable')
  }
  return {
    async 'deviceLink.report'({ actor, reply }, { body }) {
      offered()
      const wanted = await link.report(actor.deviceId, body)
      if (!wanted) return {}
      reply.code(409)
      return wanted
    },
    async 'deviceLink.state'({ actor }) {
      offered()
      return link.state(actor.deviceId)
    },
    async 'deviceLink.snapshot'({ actor }) {
      offered()
      return (await link.snapshot(actor.deviceId)) ?? {}
    },
    async 'deviceLink.settings'({ actor }) {
      offered()
      return link.settings(actor.deviceId)
    },
    async 'deviceLink.audit'({ actor, reply }, { body }) {
      offered()
      await link.audit(actor.deviceId, actor.address, body)
      await reply.code(200).send()
    },
  }
}
