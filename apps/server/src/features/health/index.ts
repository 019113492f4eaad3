export { isProbe } from './probes.ts'
export { judgeOwn } from './certificate.checks.ts'
