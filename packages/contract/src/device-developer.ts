import * as z from 'zod/mini'
import { AllowStopped } from './foreseen.ts'
import { ModeOfDevice } from './devices.ts'
import { Id } from './primitives.ts'
import { may, orWider, route } from './route.ts'
import { SnapshotCreate, Snapshot } from './snapshots.ts'
import { behind } from './switches.ts'

const DeviceParams = z.object({ deviceId: Id })
const path = '/api/v1/devices/:deviceId'

/** Developer mode: people change the flows on the device itself, and new targets wait. */
export const deviceDeveloperRoutes = behind('devices', {
  'deviceDeveloper.setMode': route({
    method: 'PUT',
    path: `${path}/mode`,
    summary:
      'Switch developer mode of a device on (developer) or off (autonomous); while it is on, the device keeps its flows whatever its target is',
    access: may('device:edit', 'device'),
    params: DeviceParams,
    /** Judged by the handler, since another mode has a code of its own (400 invalid_mode). */
    body: z.object({ mode: z.string().check(z.maxLength(40)) }),
    reply: z.object({ mode: ModeOfDevice }),
    errors: ['invalid_mode', 'agent_outdated'],
    audit: 'team.device.developer-mode.enabled',
    example: { body: { mode: 'developer' }, reply: { mode: 'developer' } },
  }),
  'deviceDeveloper.snapshot': route({
    method: 'POST',
    path: `${path}/snapshot`,
    summary: 'Create a snapshot of the instance of a device from the flows, credentials and modules on the device',
    access: orWider(
      may('project:snapshot:create', 'device'),
      'project:snapshot:set-target',
      z.looseObject({ setAsTarget: z.optional(z.literal(false)) }),
    ),
    params: DeviceParams,
    body: z.object({
      name: SnapshotCreate.shape.name,
      description: SnapshotCreate.shape.description,
      setAsTarget: SnapshotCreate.shape.setAsTarget,
      allowStopped: AllowStopped,
    }),
    reply: Snapshot,
    errors: [
      'invalid_name',
      'invalid_credentials_secret',
      'invalid_state',
      'device_unreachable',
      'instances_unavailable',
      'flows_not_started',
    ],
    audit: 'project.device.snapshot.created',
    example: { body: { name: 'Tuned at the oven', setAsTarget: true } },
  }),
})
