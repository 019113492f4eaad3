export type { BrokerClients, Credentials as BrokerCredentials } from './comms.clients.ts'
export type { BrokerLink, DeviceMessage } from './comms.link.ts'
export type { Messages } from './comms.messages.ts'
export { usernameOf as brokerUserOf } from './comms.rights.ts'
