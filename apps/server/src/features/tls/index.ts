export { openLocalCertificates } from './authority.service.ts'
