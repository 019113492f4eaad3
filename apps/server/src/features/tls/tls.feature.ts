import { defineFeature } from '../../platform/features/feature.ts'
import { whole } from '../../platform/keys/sealed.columns.ts'
import { authorityHeaders, authorityPath } from '../../platform/tls/redirect.ts'
import { authorityContext } from './authority.service.ts'

export const tlsFeature = defineFeature({
  name: 'tls',
  sealed: [{ table: 'local_authority', key: ['id'], column: 'key_sealed', find: whole(() => authorityContext) }],
  serve(app, { certificates }) {
    const authority = certificates?.authority
    if (!authority) return
    app.get(authorityPath, async (_request, reply) => reply.headers(authorityHeaders).send(authority.cert))
  },
})
