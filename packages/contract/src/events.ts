import * as z from 'zod/mini'
import { InstanceState } from './instances.ts'
import { Job } from './jobs.ts'
import { Id } from './primitives.ts'
import { route, signedIn } from './route.ts'

/** Events the platform pushes to browsers; `team` decides who receives them. */
export const PushEvent = z.discriminatedUnion('type', [
  /** `changed`: more than its state, so it is to be read anew. */
  z.object({
    type: z.literal('instance'),
    team: Id,
    application: Id,
    id: Id,
    state: InstanceState,
    changed: z.optional(z.literal(true)),
  }),
  z.object({ type: z.literal('instance.deleted'), team: Id, application: Id, id: Id }),
  /** The errors of an instance's running flows are not those of before. Told every two seconds at most. */
  z.object({ type: z.literal('errors'), team: Id, id: Id }),
  z.object({ type: z.literal('job'), team: Id, subject: Id, job: Job }),
  /** Waiting jobs that moved up. `place`: the position in the queue; servers of two versions may hear it while they are updated. */
  z.object({
    type: z.literal('queue'),
    team: Id,
    places: z.array(z.object({ subject: Id, job: Id, place: z.number() })),
  }),
  /** A device of this team: another status, another snapshot, another name; or it is new, or gone. */
  z.object({ type: z.literal('device'), team: Id, id: Id }),
  z.object({ type: z.literal('audit'), team: Id, scope: z.enum(['team', 'project']), id: Id }),
  /** Lists of this team changed: applications, instances, members. `member`: whose membership it is about. */
  z.object({ type: z.literal('team'), team: Id, member: z.optional(Id) }),
])
export type PushEvent = z.infer<typeof PushEvent>

export const eventRoutes = {
  'events.stream': route({
    method: 'GET',
    path: '/api/v1/events',
    summary:
      'Server-sent events about the teams of the signed-in user, or about one team. Administrators may choose any team',
    access: signedIn,
    query: z.object({ team: z.optional(Id) }),
    errors: ['too_many_requests'],
  }),
}
