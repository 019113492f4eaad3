export { checkMail } from './mail.health.ts'
export { type Letter, quoted } from './mail.message.ts'
export { createMail, type Mail, subjectOf as mailContext } from './mail.service.ts'
export type { MailConfig } from './mail.transport.ts'
