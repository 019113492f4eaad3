import * as z from 'zod/mini'
import { limits } from './constants.ts'
import { InstanceState, InstanceSummary } from './instances.ts'
import { ApplicationParams, Id, Links, Ok, PageMeta, TeamParams, Time } from './primitives.ts'
import { may, route, withinReach } from './route.ts'
import { TeamSummary } from './teams.ts'

export const ApplicationSummary = z.object({ id: Id, name: z.string(), links: Links })
export type ApplicationSummary = z.infer<typeof ApplicationSummary>

export const Application = z.extend(ApplicationSummary, {
  createdAt: Time,
  updatedAt: Time,
  teamId: Id,
  team: TeamSummary,
  instances: z.array(InstanceSummary),
})
export type Application = z.infer<typeof Application>

export const ApplicationName = z
  .string()
  .check(z.trim(), z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`))

const WithState = z.extend(InstanceState, { id: Id })
const list = { meta: PageMeta, count: z.number() }

export const ApplicationWithInstances = z.extend(ApplicationSummary, { instances: z.array(InstanceSummary) })
export type ApplicationWithInstances = z.infer<typeof ApplicationWithInstances>

export const applicationRoutes = {
  'application.listOfTeam': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/applications',
    summary: 'The applications of a team with their instances',
    access: withinReach(may('team:projects:list', 'team')),
    params: TeamParams,
    reply: z.object({ ...list, applications: z.array(ApplicationWithInstances) }),
    errors: [],
  }),
  'application.statusOfTeam': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/applications/status',
    summary: 'The state of every instance of a team, by application',
    access: withinReach(may('team:projects:list', 'team')),
    params: TeamParams,
    reply: z.object({ ...list, applications: z.array(z.object({ id: Id, instances: z.array(WithState) })) }),
    errors: [],
  }),
  'application.create': route({
    method: 'POST',
    path: '/api/v1/applications',
    summary: 'Create an application in a team',
    access: may('project:create', 'team'),
    body: z.object({ name: ApplicationName, teamId: Id }),
    reply: Application,
    errors: ['invalid_application_name'],
    audit: 'application.created',
    example: { body: { name: 'Oven line', teamId: '01hz' } },
  }),
  'application.get': route({
    method: 'GET',
    path: '/api/v1/applications/:applicationId',
    summary: 'One application',
    access: may('project:read', 'application'),
    params: ApplicationParams,
    reply: Application,
    errors: [],
  }),
  'application.update': route({
    method: 'PUT',
    path: '/api/v1/applications/:applicationId',
    summary: 'Rename an application',
    access: may('project:edit', 'application'),
    params: ApplicationParams,
    body: z.object({ name: ApplicationName }),
    reply: Application,
    errors: ['invalid_application_name'],
    audit: 'application.updated',
    example: { body: { name: 'Oven line' } },
  }),
  'application.delete': route({
    method: 'DELETE',
    path: '/api/v1/applications/:applicationId',
    summary: 'Delete an application without instances',
    access: may('project:delete', 'application'),
    params: ApplicationParams,
    reply: Ok,
    errors: ['invalid_application'],
    audit: 'application.deleted',
  }),
  'application.instances': route({
    method: 'GET',
    path: '/api/v1/applications/:applicationId/instances',
    summary: 'The instances of an application',
    access: may('team:projects:list', 'application'),
    params: ApplicationParams,
    reply: z.object({ ...list, instances: z.array(InstanceSummary) }),
    errors: [],
  }),
  'application.status': route({
    method: 'GET',
    path: '/api/v1/applications/:applicationId/instances/status',
    summary: 'The state of every instance of an application',
    access: may('team:projects:list', 'application'),
    params: ApplicationParams,
    reply: z.object({ ...list, instances: z.array(WithState) }),
    errors: [],
  }),
}
