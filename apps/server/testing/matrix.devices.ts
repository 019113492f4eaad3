import type { RouteIdOf } from '@app/contract'
import type { MatrixCall } from './matrix.calls.ts'

const onDevice: MatrixCall = { input: ({ device }) => ({ params: { deviceId: device.id } }) }
/** Made anew where the call is to be allowed. */
const onFreshDevice: MatrixCall = {
  input: async (world, _caller, allowed) => ({
    params: { deviceId: allowed ? await world.freshDevice() : world.device.id },
  }),
}
const onInstance: MatrixCall = { input: ({ instance }) => ({ params: { instanceId: instance.id } }) }
const onTeam: MatrixCall = { input: ({ team }) => ({ params: { teamId: team.id } }) }
const onToken = (body?: unknown): MatrixCall => ({
  input: async ({ team, freshProvisioningToken }) => ({
    params: { teamId: team.id, tokenId: await freshProvisioningToken() },
    ...(body === undefined ? {} : { body }),
  }),
})
const saying = (body: unknown, allowed?: readonly number[]): MatrixCall => ({
  ...(allowed ? { allowed } : {}),
  input: ({ device }) => ({ params: { deviceId: device.id }, body }),
})

/** The calls about devices, and those of a device itself. */
export const deviceCalls: Record<
  | RouteIdOf<'device'>
  | RouteIdOf<'deviceAction'>
  | RouteIdOf<'deviceDeveloper'>
  | RouteIdOf<'deviceEditor'>
  | RouteIdOf<'deviceLog'>
  | RouteIdOf<'deviceMetrics'>
  | RouteIdOf<'deviceLink'>
  | RouteIdOf<'provisioning'>,
  MatrixCall
> = {
  'device.chartsOfTeam': onTeam,
  'device.chartsOfInstance': onInstance,
  'device.assignMany': {
    input: ({ team, device }) => ({ params: { teamId: team.id }, body: { devices: [device.id], instance: null } }),
  },
  'device.tagsOfTeam': onTeam,
  'device.tagMany': {
    input: ({ team, device }) => ({ params: { teamId: team.id }, body: { devices: [device.id], add: ['matrix'] } }),
  },
  'device.deleteMany': {
    input: async (world, _caller, allowed) => ({
      params: { teamId: world.team.id },
      body: { devices: [allowed ? await world.freshDevice() : world.device.id] },
    }),
  },
  'provisioning.list': onTeam,
  'provisioning.create': { input: ({ team }) => ({ params: { teamId: team.id }, body: { name: 'Matrix' } }) },
  'provisioning.update': onToken({ expiresAt: null }),
  'provisioning.delete': onToken(),
  // Its agent has not called yet.
  'deviceAction.start': { ...onDevice, allowed: [503] },
  'deviceAction.restart': { ...onDevice, allowed: [503] },
  'deviceAction.suspend': { ...onDevice, allowed: [503] },
  'deviceAction.updateAgent': { ...onDevice, allowed: [409] },
  'deviceAction.restartMany': {
    input: ({ team, device }) => ({ params: { teamId: team.id }, body: { devices: [device.id] } }),
  },
  'deviceDeveloper.setMode': saying({ mode: 'autonomous' }),
  // It is assigned to no instance, or its agent has not called yet.
  'deviceDeveloper.snapshot': saying({ name: 'Matrix' }, [409, 503]),
  'deviceEditor.get': onDevice,
  'deviceEditor.set': saying({ enabled: false }),
  // Its editor is off.
  'deviceEditor.enter': { ...onDevice, allowed: [400] },
  'deviceEditor.token': { ...onDevice, allowed: [401] },
  'deviceEditor.comms': {
    allowed: [426],
    input: ({ device }) => ({ params: { deviceId: device.id, token: 'none' } }),
  },
  // Once the caller was judged: this platform has no broker.
  'deviceLog.stream': { ...onDevice, allowed: [404] },
  'deviceMetrics.get': onDevice,
  'device.list': { input: () => ({}) },
  'device.listOfTeam': { input: ({ team }) => ({ params: { teamId: team.id } }) },
  'device.listOfInstance': onInstance,
  'device.create': { input: ({ team }) => ({ body: { name: 'Another', team: team.id } }) },
  'device.get': onDevice,
  'device.auditLog': onDevice,
  'device.update': saying({ type: 'Renamed' }),
  'device.delete': onFreshDevice,
  'device.generateCredentials': onFreshDevice,
  'device.settings': onDevice,
  'device.saveSettings': saying({ env: [] }),
  'device.target': onInstance,
  'device.previewTarget': {
    allowed: [400],
    input: ({ instance }) => ({ params: { instanceId: instance.id }, query: { snapshot: 'none' } }),
  },
  'device.setTarget': {
    input: ({ instance }) => ({ params: { instanceId: instance.id }, body: { targetSnapshot: null } }),
  },
  // It does not know its settings yet.
  'deviceLink.report': saying({ settings: null }, [409]),
  'deviceLink.state': onDevice,
  'deviceLink.snapshot': onDevice,
  'deviceLink.settings': onDevice,
  'deviceLink.audit': saying({ event: 'flows.set' }),
}
