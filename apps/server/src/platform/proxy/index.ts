export { hostOf } from './host.ts'
export { createListener, Listener, type ListenerOptions } from './listener.ts'
export { createProxy, type Destination, type Proxy, type ProxyOptions } from './proxy.ts'
export type { Endpoint } from './forward.ts'
