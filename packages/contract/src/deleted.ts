import * as z from 'zod/mini'
import { Id, Ok, page, TeamParams, Time } from './primitives.ts'
import { may, route } from './route.ts'

/** An instance that was deleted and can be had back until `until`. */
export const DeletedInstance = z.object({
  id: Id,
  name: z.string(),
  application: z.object({ id: Id, name: z.string() }),
  deletedAt: Time,
  deletedBy: z.optional(z.string()),
  until: Time,
})
export type DeletedInstance = z.infer<typeof DeletedInstance>

const DeletedParams = z.extend(TeamParams, { instanceId: Id })

export const deletedRoutes = {
  'deleted.list': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/deleted-projects',
    summary: 'Deleted instances of a team that can still be restored, most recently deleted first',
    access: may('project:delete', 'team'),
    params: TeamParams,
    reply: page('projects', DeletedInstance),
    errors: [],
  }),
  'deleted.restore': route({
    method: 'POST',
    path: '/api/v1/teams/:teamId/deleted-projects/:instanceId/restore',
    summary: 'Restore a deleted instance, under another name if its own is taken. It starts if it was running',
    access: may('project:delete', 'team'),
    params: DeletedParams,
    // Judged by the handler, as the name of a new instance is.
    body: z.object({ name: z.optional(z.string().check(z.maxLength(200))) }),
    reply: Ok,
    errors: [
      'invalid_project_name',
      'invalid_state',
      'instance_limit_reached',
      'invalid_project_type',
      'invalid_ha',
      'billing_required',
    ],
    audit: 'project.undeleted',
    example: { body: {}, reply: { status: 'okay' } },
  }),
  'deleted.remove': route({
    method: 'DELETE',
    path: '/api/v1/teams/:teamId/deleted-projects/:instanceId',
    summary: 'Permanently remove a deleted instance and everything in it',
    access: may('project:delete', 'team'),
    params: DeletedParams,
    reply: Ok,
    errors: ['invalid_state'],
    audit: 'project.removed',
  }),
}
