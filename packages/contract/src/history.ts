import * as z from 'zod/mini'
import { historyKinds } from './constants.ts'
import { Deployment } from './deployments.ts'
import { Id, InstanceParams, page, PageQuery, Time } from './primitives.ts'
import { may, route } from './route.ts'
import { Difference, Drawing, DrawnBefore, Snapshot } from './snapshots.ts'
import { FlowVersion } from './versions.ts'

/**
 * One point in the history of an instance: a deploy of its editor (`version`), a deployment with the version of the
 * flows that it brought, if that is still kept, or a snapshot.
 */
export const HistoryPoint = z.object({
  id: Id,
  createdAt: Time,
  version: z.optional(FlowVersion),
  deployment: z.optional(Deployment),
  snapshot: z.optional(Snapshot),
})
export type HistoryPoint = z.infer<typeof HistoryPoint>

/** Contents that are kept: `version:<id>` or `snapshot:<id>`. */
const Kept = z
  .string()
  .check(z.regex(/^(version|snapshot):[A-Za-z0-9_-]{1,64}$/, 'Not a version:<id> or snapshot:<id>'))

const path = '/api/v1/projects/:instanceId/history'

export const historyRoutes = {
  'history.list': route({
    method: 'GET',
    path,
    summary: 'History of an instance: versions, deployments and snapshots, newest first',
    access: may('project:snapshot:list', 'instance'),
    params: InstanceParams,
    query: z.extend(PageQuery, { kind: z.optional(z.enum(historyKinds)) }),
    reply: page('history', HistoryPoint),
    errors: [],
  }),
  'history.changes': route({
    method: 'GET',
    path: `${path}/changes`,
    summary:
      'Compare two versions or snapshots; without `from`, the current contents with one. Versions have flows and credentials only',
    access: may('project:snapshot:read', 'instance'),
    params: InstanceParams,
    query: z.object({ to: Kept, from: z.optional(Kept) }),
    reply: z.object({ changes: Difference, drawing: Drawing, was: DrawnBefore }),
    errors: [],
  }),
}
