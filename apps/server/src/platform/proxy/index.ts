export { consoleHosts, hostOf } from './host.ts'
export { createListener, type HostRole, type ListenerOptions } from './listener.ts'
export { createProxy, type Destination, type Proxy, type ProxyOptions } from './proxy.ts'
export type { Endpoint } from './forward.ts'
