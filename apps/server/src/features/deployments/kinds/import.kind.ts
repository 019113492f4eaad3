import type { InstanceImport } from '@app/contract'
import * as z from 'zod/mini'
import { fail } from '../../../platform/http/failure.ts'
import type { Db } from '../../../platform/db/tables.ts'
import type { Audit } from '../../audit/index.ts'
import type { Contents } from '../../contents/index.ts'
import { findWhole } from '../../instances/index.ts'
import type { Kind } from '../deployments.kinds.ts'

/** Files in the place of flows, credentials or both. @throws Failure invalid_request, invalid_credentials_secret from `read`. */
export function importKind({
  read,
  contents,
  audit,
}: {
  read: Db
  contents: Contents
  audit: Audit
}): Kind<InstanceImport, object> {
  return {
    kind: 'import',
    title: 'Import flows',
    state: 'importing',
    memo: z.object({}),
    async read(instance, files) {
      const { flows, credentials } = await contents.parse(files)
      const row = await findWhole(read, instance.id)
      if (!row) throw fail('not_found')
      return {
        brings: {
          held: {
            ...(flows ? { flows: flows.text } : {}),
            ...(credentials ? { credentials: contents.seal(row, credentials) } : {}),
          },
        },
        what: '',
        memo: {},
      }
    },
    origin: () => ({ kind: 'import' }),
    keeps: () => ({
      name: 'Before import',
      description: 'Contents before the import. Roll back to it to undo the import.',
    }),
    record: (tx, { actor, auditScope, project, error }) =>
      audit.record(tx, actor, 'project.flow-imported', auditScope, { project, ...error }),
  }
}
