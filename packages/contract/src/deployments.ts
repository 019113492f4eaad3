import * as z from 'zod/mini'
import { LogEntry } from './instance-link.ts'
import { JobStep } from './jobs.ts'
import { Id, InstanceParams, Ok, page, PageQuery, Time } from './primitives.ts'
import { may, route } from './route.ts'

const Named = z.object({ id: Id, name: z.string() })
const counts = z.object({ added: z.number(), changed: z.number(), removed: z.number() })

/** What a deployment changed, in numbers and names. */
export const DeploymentChanges = z.object({
  nodes: counts,
  modules: z.array(z.string()),
  env: z.array(z.string()),
  settings: z.array(z.string()),
})
export type DeploymentChanges = z.infer<typeof DeploymentChanges>

/** New contents for an instance: who brought them, why, what they changed and how it went. */
export const Deployment = z.object({
  id: Id,
  kind: z.enum(['rollback', 'push']),
  /** `returning`: the new contents did not come up, and what was there is being put back. */
  state: z.enum(['running', 'returning', 'done', 'failed']),
  createdAt: Time,
  endedAt: z.optional(Time),
  target: Named,
  /** Whoever asked for it, by the name of the time. */
  by: z.string(),
  /** What it brought; without an id when that was deleted since. */
  snapshot: z.object({ id: z.optional(Id), name: z.string() }),
  /** Of a push: the instance whose contents it brought; without an id when that was deleted since. */
  source: z.optional(z.object({ id: z.optional(Id), name: z.string() })),
  /** What was there before, kept so that it can be brought back. */
  before: z.optional(Id),
  changes: DeploymentChanges,
  /** Why it failed, in a sentence. */
  reason: z.optional(z.string()),
  /** The last lines of Node-RED before it was given up. */
  log: z.optional(z.array(LogEntry)),
  steps: z.array(JobStep),
})
export type Deployment = z.infer<typeof Deployment>

export const deploymentRoutes = {
  'deployment.list': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/deployments',
    summary: 'What was deployed to an instance, newest first',
    access: may('project:snapshot:list', 'instance'),
    params: InstanceParams,
    query: PageQuery,
    reply: page('deployments', Deployment),
    errors: [],
  }),
  'deployment.rollback': route({
    method: 'POST',
    path: '/api/v1/projects/:instanceId/actions/rollback',
    summary:
      'Put a snapshot in the place of what the instance holds; the work goes on as a job. What was there is kept as a snapshot, and comes back by itself when the new contents do not come up',
    access: may('project:snapshot:rollback', 'instance'),
    params: InstanceParams,
    body: z.object({ snapshot: Id }),
    reply: Ok,
    errors: ['invalid_snapshot', 'invalid_state'],
    audit: 'project.snapshot.rolled-back',
    example: { body: { snapshot: '01hz' }, reply: { status: 'okay' } },
  }),
}
