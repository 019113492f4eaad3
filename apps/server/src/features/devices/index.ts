export { deviceHandlers, deviceLinkHandlers } from './devices.routes.ts'
export { createDeviceLink } from './devices.link.ts'
export { createDevices } from './devices.service.ts'
export { loadDevice } from './devices.store.ts'
