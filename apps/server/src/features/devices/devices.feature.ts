import { defineFeature } from '../../platform/features/feature.ts'
import { whole } from '../../platform/keys/places.ts'
import { createDeviceLink, type DeviceLink } from './devices.link.ts'
import { deviceHandlers, deviceLinkHandlers } from './devices.routes.ts'
import { envContext, secretContext } from './devices.secrets.ts'
import { createDevices, type Devices } from './devices.service.ts'
import { loadDevice } from './devices.store.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    devices: Devices
    deviceLink: DeviceLink
  }
}

export const devicesFeature = defineFeature({
  name: 'devices',
  shares: ['devices'],
  provides: { devices: createDevices, deviceLink: createDeviceLink },
  routes: ({ devices, deviceLink, snapshots }) => ({
    ...deviceHandlers(devices, snapshots),
    ...deviceLinkHandlers(deviceLink),
  }),
  targets: ({ database }) => ({
    device: {
      keys: ['deviceId'],
      async load({ deviceId }, userId) {
        const row = deviceId === undefined ? undefined : await loadDevice(database.read, deviceId, userId)
        return row && { teamId: row.team_id, role: row.role ?? undefined, device: row }
      },
    },
  }),
  identify({ devices }, { bearer, address }) {
    return bearer?.startsWith('ffd_') ? devices.actorOf(bearer, address) : undefined
  },
  sealed: [
    { table: 'devices', key: ['id'], column: 'credential_secret', find: whole(({ id = '' }) => secretContext(id)) },
    { table: 'devices', key: ['id'], column: 'env', find: whole(({ id = '' }) => envContext(id)) },
  ],
})
