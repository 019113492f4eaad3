import * as z from 'zod/mini'
import type { AuditKey } from './audit.ts'
import { Bulk, Chosen } from './devices.ts'
import { Id, Ok, TeamParams } from './primitives.ts'
import { capital, may, route } from './route.ts'
import { behind } from './switches.ts'

/** The actions of people on the flows of a device. */
export const deviceActions = ['start', 'restart', 'suspend'] as const
export type DeviceAction = (typeof deviceActions)[number]

const action = <const A extends DeviceAction>(verb: A, audit: Extract<AuditKey, `team.device.${string}`>) =>
  route({
    method: 'POST',
    path: `/api/v1/devices/:deviceId/actions/${verb}`,
    summary: `${capital(verb)} the flows of a device. Answers when its agent has done it`,
    access: may('device:change-status', 'device'),
    params: z.object({ deviceId: Id }),
    reply: Ok,
    errors: ['device_unreachable', 'agent_outdated', 'invalid_state', 'instances_unavailable'],
    audit,
    example: { reply: { status: 'okay' } },
  })

export const deviceActionRoutes = behind('devices', {
  'deviceAction.start': action('start', 'team.device.started'),
  'deviceAction.restart': action('restart', 'team.device.restarted'),
  'deviceAction.suspend': action('suspend', 'team.device.suspended'),
  'deviceAction.updateAgent': route({
    method: 'POST',
    path: '/api/v1/devices/:deviceId/actions/update-agent',
    summary:
      'Tell the agent of a device to become the version that this platform serves. It takes the order at its next check-in; `agentUpdate` of the device says how it ended',
    access: may('device:edit', 'device'),
    params: z.object({ deviceId: Id }),
    reply: Ok,
    errors: ['invalid_state'],
    audit: 'team.device.agent.update-requested',
    example: { reply: { status: 'okay' } },
  }),
  'deviceAction.restartMany': route({
    method: 'POST',
    path: '/api/v1/teams/:teamId/devices/bulk/restart',
    summary:
      'Restart the flows of devices. Each device succeeds or fails on its own; answers when every agent has answered',
    access: may('device:change-status', 'team'),
    params: TeamParams,
    body: z.object({ devices: Chosen }),
    reply: Bulk,
    errors: [],
    audit: 'team.device.restarted',
    example: { body: { devices: ['01hz'] } },
  }),
})
