export { openOwnCertificates } from './certificates.open.ts'
