import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Snapshots } from './snapshots.service.ts'

export function snapshotHandlers(snapshots: Snapshots): Handlers<RouteIdOf<'snapshot'>> {
  return {
    'snapshot.list': async ({ instance }, { query }) => snapshots.list(instance.id, query),
    'snapshot.create': async ({ actor, instance }, { body }) => snapshots.create(actor, instance, body),
    'snapshot.get': async ({ instance }, { params }) => snapshots.get(instance.id, params.snapshotId),
    'snapshot.flows': async ({ instance }, { params }) => ({
      flows: await snapshots.flows(instance.id, params.snapshotId),
    }),
    'snapshot.changes': async ({ instance }, { params, query }) =>
      snapshots.changes(instance.id, params.snapshotId, query.from),
    async 'snapshot.delete'({ actor, instance }, { params }) {
      await snapshots.delete(actor, instance, params.snapshotId)
      return okay
    },
  }
}
