import { defineFeature } from '../../platform/features/feature.ts'
import { whole } from '../../platform/keys/sealed.columns.ts'
import { authorityHeaders, authorityPath } from '../../platform/tls/redirect.ts'
import { acmeChecks } from './acme.health.ts'
import { accountContext, certificateContext, orderContext } from './acme.order.ts'
import { type Acme, createAcme } from './acme.service.ts'
import { challengeSweep } from './acme.store.ts'
import { authorityContext } from './authority.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    acme: Acme
  }
}

const certificates = 'acme_certificates'

export const tlsFeature = defineFeature({
  name: 'tls',
  provides: { acme: createAcme },
  runs: { acme: ({ acme }) => ({ start: acme.start, stop: acme.stop }) },
  jobs: ({ acme }) => [acme.orderJob],
  health: acmeChecks,
  sweeps: [challengeSweep],
  backup: { leaveOut: ['acme_challenges'] },
  sealed: [
    { table: 'local_authority', key: ['id'], column: 'key_sealed', find: whole(() => authorityContext) },
    {
      table: 'acme_accounts',
      key: ['directory'],
      column: 'key_sealed',
      find: whole(({ directory }) => accountContext(directory!)),
    },
    {
      table: certificates,
      key: ['name'],
      column: 'key_sealed',
      find: whole(({ name }) => certificateContext(name!)),
    },
    {
      table: certificates,
      key: ['name'],
      column: 'order_key_sealed',
      find: whole(({ name }) => orderContext(name!)),
    },
  ],
  serve(app, { certificates }) {
    const authority = certificates?.authority
    if (!authority) return
    app.get(authorityPath, async (_request, reply) => reply.headers(authorityHeaders).send(authority.cert))
  },
})
