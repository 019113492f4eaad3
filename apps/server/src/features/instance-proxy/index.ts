export { type Protection } from './proxy.protection.ts'
export { type Traffic } from './proxy.traffic.ts'
