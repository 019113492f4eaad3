import { defineFeature } from '../../platform/features/feature.ts'
import { whole } from '../../platform/keys/sealed.columns.ts'
import { createMail, type Mail, subjectOf } from './mail.service.ts'
import { mailChecks, mailFigures } from './mail.health.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    mail: Mail
  }
}

export const mailFeature = defineFeature({
  name: 'mail',
  shares: ['mails'],
  provides: { mail: createMail },
  runs: { mail: ({ mail }) => mail },
  jobs: ({ mail }) => [mail.sendJob],
  backup: { leaveOut: ['mails'] },
  sealed: [{ table: 'mails', key: ['id'], column: 'sealed', find: whole(({ id = '' }) => subjectOf(id)) }],
  health: mailChecks,
  figures: mailFigures,
})
