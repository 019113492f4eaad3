import { iso } from '../../../platform/clock.ts'
import type { Audit } from '../../audit/index.ts'
import type { Versions } from '../../versions/index.ts'
import type { Kind } from '../deployments.kinds.ts'

/**
 * An earlier version of the flows, with the credentials it had. What was there before is a version itself, so a
 * restore is undone by another. @throws Failure not_found from `read`.
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
    subject: () => 'The earlier version',
    state: 'importing',
    async read(instance, input) {
      const { version, flows } = await versions.get(instance.id, input.version)
      const { id, credentials, created_at: at } = version
      return {
        brings: { held: { flows, ...(credentials === null ? {} : { credentials }) } },
        what: iso(at),
        memo: { id, at },
      }
    },
    origin: ({ id, at }) => ({ kind: 'restore', from: { id, created_at: at } }),
    record: (tx, { actor, memo, auditScope, project, error }) =>
      audit.record(tx, actor, 'project.flow-restored', auditScope, {
        project,
        info: { version: memo.id, from: iso(memo.at) },
        ...error,
      }),
  }
}
