import * as z from 'zod/mini'
import { iso } from '../../../platform/clock.ts'
import type { Audit } from '../../audit/index.ts'
import type { Versions } from '../../versions/index.ts'
import { timeOf } from '../deployments.condition.ts'
import type { Kind } from '../deployments.kinds.ts'

/**
 * An earlier version of the flows, with the credentials it had. @throws Failure not_found from `read`.
 */
export function restoreKind({
  versions,
  audit,
}: {
  versions: Versions
  audit: Audit
}): Kind<{ version: string }, { id: string; at: number }> {
  return {
    kind: 'restore',
    title: 'Restore flows',
    state: 'importing',
    memo: z.object({ id: z.string(), at: z.number() }),
    async read(instance, input) {
      const { version, held } = await versions.get(instance.id, input.version)
      const { id, created_at: at } = version
      return {
        brings: { held },
        what: iso(at),
        memo: { id, at },
      }
    },
    origin: ({ id, at }) => ({ kind: 'restore', from: { id, created_at: at } }),
    keeps: ({ at }) => ({
      name: `Before restore of ${timeOf(at)}`,
      description: 'Contents before the restore. Roll back to it to undo the restore.',
    }),
    record: (tx, { actor, memo, auditScope, project, error }) =>
      audit.record(tx, actor, 'project.flow-restored', auditScope, {
        project,
        info: { version: memo.id, from: iso(memo.at) },
        ...error,
      }),
  }
}
