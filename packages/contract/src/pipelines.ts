import * as z from 'zod/mini'
import { limits } from './constants.ts'
import { Deployment } from './deployments.ts'
import { Foreseen } from './foreseen.ts'
import { Instance, OnErrors } from './instances.ts'
import { ApplicationParams, Id, Ok, PageMeta, Time } from './primitives.ts'
import { may, route } from './route.ts'
import { behind } from './switches.ts'
import { Difference, Drawing, DrawnBefore } from './snapshots.ts'
import { TakeoverPlan } from './takeover.ts'

const Named = z.object({ id: Id, name: z.string() })

/** One step of a pipeline: an instance, under a name, and which stage what it holds goes to next. */
export const Stage = z.object({
  id: Id,
  name: z.string(),
  /** Its instance; none when that was deleted, or moved to another application. */
  instances: z.array(Instance),
  /** Absent for the last one. The name is part of what existing consoles read. */
  NextStageId: z.optional(Id),
  /** Do pushes to it pass whose flows run with new errors? */
  onErrors: OnErrors,
  /** The state of its instance. */
  state: z.optional(z.string()),
  isDeploying: z.optional(z.boolean()),
  /** The last push to its instance, from whatever pipeline. */
  lastDeployment: z.optional(
    z.pick(Deployment, {
      id: true,
      state: true,
      createdAt: true,
      endedAt: true,
      by: true,
      reason: true,
      warning: true,
      verdict: true,
      faults: true,
      source: true,
    }),
  ),
})
export type Stage = z.infer<typeof Stage>

/** Instances of an application one after the other, in the order in which flows go through them. */
export const Pipeline = z.object({ id: Id, name: z.string(), createdAt: Time, stages: z.array(Stage) })
export type Pipeline = z.infer<typeof Pipeline>

/** Names are judged by the handlers, since an empty one has a code of its own (400 invalid_name). */
const Name = z.string().check(z.trim(), z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`))

/** The changes that running a stage would make to the next one. */
export const StageChanges = z.object({
  source: Named,
  target: Named,
  difference: Difference,
  drawing: Drawing,
  was: DrawnBefore,
  /** Names what was compared; sent with the push, which is refused when it is not so any more. */
  seen: z.string(),
  /** Sentences to read before the run. */
  notes: z.array(z.string()),
  /** Plan of its takeover from what serves; absent where nothing does. */
  takeover: z.optional(TakeoverPlan),
  foreseen: z.array(Foreseen),
})
export type StageChanges = z.infer<typeof StageChanges>

const ofApplication = '/api/v1/applications/:applicationId/pipelines'
const OfApplication = z.extend(ApplicationParams, { pipelineId: Id })
const stages = '/api/v1/pipelines/:pipelineId/stages'
const PipelineParams = z.object({ pipelineId: Id })
const StageParams = z.extend(PipelineParams, { stageId: Id })

/** `source` names the stage before it, which cannot change. */
export const StagePatch = z.partial(z.object({ name: Name, instanceId: Id, source: Id, onErrors: OnErrors }))
export type StagePatch = z.infer<typeof StagePatch>

export const pipelineRoutes = behind('devops-pipelines', {
  'pipeline.list': route({
    method: 'GET',
    path: ofApplication,
    summary: 'Pipelines of an application, oldest first, with their stages in order',
    access: may('application:pipelines:list', 'application'),
    params: ApplicationParams,
    reply: z.object({ meta: PageMeta, count: z.number(), pipelines: z.array(Pipeline) }),
    errors: [],
  }),
  'pipeline.create': route({
    method: 'POST',
    path: ofApplication,
    summary: 'Add a pipeline to an application',
    access: may('application:pipelines:create', 'application'),
    params: ApplicationParams,
    body: z.object({ name: Name }),
    reply: Pipeline,
    errors: ['invalid_name'],
    audit: 'application.pipeline.created',
    example: { body: { name: 'Ovens' } },
  }),
  'pipeline.update': route({
    method: 'PUT',
    path: `${ofApplication}/:pipelineId`,
    summary: 'Rename a pipeline. The name is at the top level or in `pipeline`',
    access: may('application:pipelines:update', 'application'),
    params: OfApplication,
    body: z.union([z.object({ pipeline: z.object({ name: Name }) }), z.object({ name: Name })]),
    reply: Pipeline,
    errors: ['invalid_name'],
    audit: 'application.pipeline.updated',
    example: { body: { pipeline: { name: 'Ovens' } } },
  }),
  'pipeline.delete': route({
    method: 'DELETE',
    path: `${ofApplication}/:pipelineId`,
    summary: 'Delete a pipeline. Its instances do not change',
    access: may('application:pipelines:delete', 'application'),
    params: OfApplication,
    reply: Ok,
    errors: [],
    audit: 'application.pipeline.deleted',
  }),
  'pipeline.addStage': route({
    method: 'POST',
    path: stages,
    summary: 'Add a stage after `source`, or at the end',
    access: may('pipeline:edit', 'pipeline'),
    params: PipelineParams,
    body: z.object({ name: Name, instanceId: Id, source: z.optional(Id), onErrors: z.optional(OnErrors) }),
    reply: Stage,
    errors: ['invalid_name', 'invalid_instance', 'invalid_input'],
    audit: 'application.pipeline.stage-added',
    example: { body: { name: 'Staging', instanceId: '01hz', source: '01hy' } },
  }),
  'pipeline.getStage': route({
    method: 'GET',
    path: `${stages}/:stageId`,
    summary: 'One stage',
    access: may('pipeline:view', 'pipeline'),
    params: StageParams,
    reply: Stage,
    errors: [],
  }),
  'pipeline.updateStage': route({
    method: 'PUT',
    path: `${stages}/:stageId`,
    summary: 'Update the name or the instance of a stage',
    access: may('pipeline:edit', 'pipeline'),
    params: StageParams,
    /** `source` names the stage before it, which stays the same. */
    body: StagePatch,
    reply: Stage,
    errors: ['invalid_name', 'invalid_instance', 'invalid_input'],
    audit: 'application.pipeline.stage-updated',
    example: { body: { name: 'Staging' } },
  }),
  'pipeline.deleteStage': route({
    method: 'DELETE',
    path: `${stages}/:stageId`,
    summary: 'Delete a stage. The stage before it then pushes to the stage after it',
    access: may('pipeline:delete', 'pipeline'),
    params: StageParams,
    reply: Ok,
    errors: [],
    audit: 'application.pipeline.stage-deleted',
  }),
  'pipeline.changes': route({
    method: 'GET',
    path: `${stages}/:stageId/changes`,
    summary: 'Preview the changes of running a stage on the instance of the next stage',
    access: may('pipeline:view', 'pipeline'),
    params: StageParams,
    reply: StageChanges,
    errors: ['invalid_input'],
  }),
})
