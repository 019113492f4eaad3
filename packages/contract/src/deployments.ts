import * as z from 'zod/mini'
import { limits } from './constants.ts'
import { FlowFault } from './flows-report.ts'
import { Extras, Foreseen, Install } from './foreseen.ts'
import { LogEntry } from './instance-link.ts'
import { InstanceImport } from './instances.ts'
import { JobStep } from './jobs.ts'
import { Id, InstanceParams, Ok, page, PageQuery, Time } from './primitives.ts'
import { may, orWider, route } from './route.ts'
import { Difference, Drawing, DrawnBefore, StackChange } from './snapshots.ts'
import { Takeover, TakeoverPlan } from './takeover.ts'

const Named = z.object({ id: Id, name: z.string() })
/** `moved`: nodes of which only the position differs. Absent in older records, which count them as changed. */
const counts = z.object({
  added: z.number(),
  changed: z.number(),
  moved: z.optional(z.number()),
  removed: z.number(),
})

/** The changes a deployment made, in numbers and names. */
export const DeploymentChanges = z.object({
  nodes: counts,
  modules: z.array(z.string()),
  env: z.array(z.string()),
  settings: z.array(z.string()),
  stack: z.optional(StackChange),
})
export type DeploymentChanges = z.infer<typeof DeploymentChanges>

/**
 * `restore` brings an earlier version of the flows back; `stack` puts what is there on another stack or type; `duplicate`
 * makes an instance with the contents of another.
 */
export const deploymentKinds = ['rollback', 'import', 'restore', 'stack', 'push', 'duplicate'] as const
export type DeploymentKind = (typeof deploymentKinds)[number]

/**
 * The flows of a deployment: `running`, they run, with the errors in `faults`; `stopped`, they do not; `unjudged`, the
 * instance has not run since. Its next start judges them.
 */
export const flowsVerdicts = ['running', 'stopped', 'unjudged'] as const
export type FlowsVerdict = (typeof flowsVerdicts)[number]

/** New contents for an instance: who brought them, why, what they changed and how it went. */
export const Deployment = z.object({
  id: Id,
  kind: z.enum(deploymentKinds),
  /** `returning`: the new contents did not come up, and what was there is being put back. */
  state: z.enum(['running', 'returning', 'done', 'failed']),
  createdAt: Time,
  endedAt: z.optional(Time),
  target: Named,
  /** Person who asked for it, by the name of the time. */
  by: z.string(),
  /** The name, at that time, of the snapshot or stack it brought; for a version, its time; empty for files. */
  what: z.string(),
  /** The snapshot it brought; without an id when that was deleted since. */
  snapshot: z.optional(z.object({ id: z.optional(Id), name: z.string() })),
  /** For a push: the instance whose contents it brought; without an id when that instance was deleted since. */
  source: z.optional(z.object({ id: z.optional(Id), name: z.string() })),
  /** The snapshot of the contents before, kept so that they can be restored. */
  before: z.optional(Id),
  changes: DeploymentChanges,
  /** Its takeover from what served; absent until that is decided, and for an instance that does not run. */
  takeover: z.optional(Takeover),
  /** Why it failed, in a sentence. */
  reason: z.optional(z.string()),
  /**
   * A sentence about a deployment that is done all the same, for example that its flows do not run, as those before
   * did not.
   */
  warning: z.optional(z.string()),
  /** Absent while it is not known, and in records of earlier versions. */
  verdict: z.optional(z.enum(flowsVerdicts)),
  /** Errors of its flows that those before did not have, or why they were not kept. */
  faults: z.optional(z.array(FlowFault)),
  /** The last lines of Node-RED before it was given up. */
  log: z.optional(z.array(LogEntry)),
  steps: z.array(JobStep),
})
export type Deployment = z.infer<typeof Deployment>

const OfSnapshot = z.strictObject({ snapshot: Id, allowStopped: Extras.allowStopped })
/** The contents about to be deployed: a snapshot, a version of the flows, another stack, or files. */
export const DeploymentDraft = z
  .partial(z.object({ snapshot: Id, version: Id, stack: Id, projectType: Id, files: InstanceImport, install: Install }))
  .check(
    z.refine(
      ({ snapshot, version, stack, files }) =>
        [snapshot, version, stack, files].filter((one) => one !== undefined).length === 1,
      'Name one thing to be deployed',
    ),
  )
export type DeploymentDraft = z.infer<typeof DeploymentDraft>

/**
 * The expected changes, every node of each tab that changes, how the new version would take over, and other foreseen
 * problems.
 */
export const DeploymentPreview = z.object({
  changes: Difference,
  drawing: Drawing,
  was: DrawnBefore,
  takeover: z.optional(TakeoverPlan),
  foreseen: z.array(Foreseen),
})
export type DeploymentPreview = z.infer<typeof DeploymentPreview>

/** Can it be had? `problem` says why not, or what is fetched first, in a sentence. */
export const DeploymentCheck = z.object({ ready: z.boolean(), problem: z.optional(z.string()) })
export type DeploymentCheck = z.infer<typeof DeploymentCheck>

const ofDraft = {
  access: orWider(may('project:snapshot:rollback', 'instance'), 'project:edit', OfSnapshot),
  params: InstanceParams,
  body: DeploymentDraft,
  bodyLimit: limits.flowsBytes,
} as const
const refusals = [
  'invalid_snapshot',
  'invalid_stack',
  'invalid_project_type',
  'invalid_credentials_secret',
  'too_large',
] as const

export const deploymentRoutes = {
  'deployment.list': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/deployments',
    summary: 'Deployments to an instance, newest first',
    access: may('project:snapshot:list', 'instance'),
    params: InstanceParams,
    query: PageQuery,
    reply: page('deployments', Deployment),
    errors: [],
  }),
  'deployment.get': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/deployments/:deploymentId',
    summary: 'One deployment of an instance',
    access: may('project:snapshot:list', 'instance'),
    params: z.extend(InstanceParams, { deploymentId: Id }),
    reply: Deployment,
    errors: [],
  }),
  'deployment.preview': route({
    method: 'POST',
    path: '/api/v1/projects/:instanceId/deployments/preview',
    summary: 'Preview the changes of deploying a snapshot, a version, a stack or files. Changes nothing',
    ...ofDraft,
    reply: DeploymentPreview,
    errors: [...refusals],
    example: { body: { snapshot: '01hz' } },
  }),
  'deployment.check': route({
    method: 'POST',
    path: '/api/v1/projects/:instanceId/deployments/check',
    summary:
      'Check that the modules and the Node-RED of a deployment can be downloaded. Downloads them; does not change the instance',
    ...ofDraft,
    reply: DeploymentCheck,
    errors: [...refusals],
    example: { body: { snapshot: '01hz' }, reply: { ready: true } },
  }),
  'deployment.rollback': route({
    method: 'POST',
    path: '/api/v1/projects/:instanceId/actions/rollback',
    summary:
      'Roll back to a snapshot, as a job. The current state is saved as a snapshot first, and restored if the instance does not start',
    access: orWider(may('project:snapshot:rollback', 'instance'), 'project:edit', OfSnapshot),
    params: InstanceParams,
    body: z.object({ snapshot: Id, ...Extras }),
    reply: Ok,
    errors: ['invalid_snapshot', 'invalid_state'],
    audit: 'project.snapshot.rolled-back',
    example: { body: { snapshot: '01hz' }, reply: { status: 'okay' } },
  }),
}
