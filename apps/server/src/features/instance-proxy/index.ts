export { proxyNotices, unknownHost } from './proxy.notices.ts'
export { visitorOf } from './proxy.visitor.ts'
export { type Protection } from './proxy.protection.ts'
export { type Traffic } from './proxy.traffic.ts'
