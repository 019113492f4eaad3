import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { auditSigner } from './audit.chain.ts'
import { type AuditExport, createAuditExport } from './audit.export.ts'
import { createIntegrity } from './audit.integrity.ts'
import { createRetention, type Retention } from './audit.retention.ts'
import { auditHandlers } from './audit.routes.ts'
import { createSealer, type Sealer } from './audit.sealer.ts'
import { type Audit, createAudit } from './audit.service.ts'
import { createTextIndex, type TextIndex } from './audit.text-index.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    signer: ReturnType<typeof auditSigner>
    audit: Audit
    auditExport: AuditExport
    integrity: ReturnType<typeof createIntegrity>
    retention: Retention
    sealer: Sealer
    auditTextIndex: TextIndex
  }
}

export const auditFeature = defineFeature({
  name: 'audit',
  provides: {
    signer: ({ keys }) => auditSigner(keys),
    audit: createAudit,
    auditExport: createAuditExport,
    integrity: createIntegrity,
    retention: (services) =>
      createRetention(also(services, { days: async () => (await services.settings.all())['audit:retention-days'] })),
    sealer: createSealer,
    auditTextIndex: createTextIndex,
  },
  routes: ({ audit, auditExport, integrity }) => auditHandlers(audit, auditExport, integrity),
  runs: {
    sealer: ({ sealer }) => sealer,
    retention: ({ retention }) => retention,
    auditTextIndex: ({ auditTextIndex }) => auditTextIndex,
  },
})
