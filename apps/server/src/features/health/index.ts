export { type Phase, serveProbes } from './probes.ts'
