export { judgeOwn } from './certificate.checks.ts'
