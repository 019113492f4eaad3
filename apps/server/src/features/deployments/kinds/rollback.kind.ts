import * as z from 'zod/mini'
import { fail } from '../../../platform/http/failure.ts'
import type { Audit } from '../../audit/index.ts'
import { modulesOfSnapshot, type Snapshots } from '../../snapshots/index.ts'
import { type Kind, Named } from '../deployments.kinds.ts'

/** A snapshot of the instance in the place of everything it holds. @throws Failure invalid_snapshot from `read`. */
export function rollbackKind({
  snapshots,
  audit,
}: {
  snapshots: Snapshots
  audit: Audit
}): Kind<{ snapshot: string }, { snapshot: { id: string; name: string } }> {
  return {
    kind: 'rollback',
    title: 'Roll back',
    state: 'importing',
    memo: z.object({ snapshot: Named }),
    async read(instance, input) {
      const row = await snapshots.find(instance.id, input.snapshot)
      if (!row) throw fail('invalid_snapshot', undefined, { field: 'snapshot' })
      const snapshot = { id: row.id, name: row.name }
      const { 'node-red': nodered } = modulesOfSnapshot(row)
      const brings = { held: await snapshots.read(row) }
      return { brings, what: row.name, snapshotId: row.id, nodered, memo: { snapshot } }
    },
    origin: () => ({ kind: 'rollback' }),
    keeps: ({ snapshot }) => ({
      name: `Before rollback to “${snapshot.name}”`,
      description: 'Contents before the rollback. Roll back to it to undo the rollback.',
    }),
    record: (tx, { actor, memo: { snapshot }, auditScope, project, error }) =>
      audit.record(tx, actor, 'project.snapshot.rolled-back', auditScope, { project, snapshot, ...error }),
  }
}
