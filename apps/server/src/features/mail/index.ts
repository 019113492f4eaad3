export { checkMail } from './mail.health.ts'
export { type Letter, quoted } from './mail.message.ts'
export { type Mail } from './mail.service.ts'
