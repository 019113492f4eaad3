export { checkAddress, checkNames } from './address.checks.ts'
export { isProbe } from './probes.ts'
export { judgeOwn } from './certificate.checks.ts'
