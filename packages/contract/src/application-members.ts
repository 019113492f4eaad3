import * as z from 'zod/mini'
import { UserSummary } from './account.ts'
import { Id, Ok, PageMeta, TeamParams } from './primitives.ts'
import { may, route } from './route.ts'
import { behind } from './switches.ts'

/** A role that a member of a team has in one application of it. */
export const ApplicationMember = z.extend(UserSummary, {
  application: z.object({ id: Id, name: z.string() }),
  role: z.number(),
  /** The role in the team; 1: none. */
  teamRole: z.number(),
})
export type ApplicationMember = z.infer<typeof ApplicationMember>

const OfApplication = z.object({ teamId: Id, applicationId: Id })
const OfMember = z.object({ teamId: Id, applicationId: Id, userId: Id })

export const applicationMemberRoutes = behind('applicationRoles', {
  'applicationMember.list': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/application-members',
    summary: 'The roles that members of a team have in single applications; of one application when it is named',
    access: may('team:user:list', 'team'),
    params: TeamParams,
    query: z.object({ application: z.optional(Id) }),
    reply: z.object({ meta: PageMeta, count: z.number(), members: z.array(ApplicationMember) }),
    errors: [],
  }),
  'applicationMember.add': route({
    method: 'POST',
    path: '/api/v1/teams/:teamId/applications/:applicationId/members',
    summary: 'Give a member of the team a role in one application. Owners and dashboard-only members are refused',
    access: may('team:user:change-role', 'team'),
    params: OfApplication,
    body: z.object({ user: Id, role: z.int() }),
    reply: Ok,
    errors: ['invalid_team_role', 'invalid_request'],
    audit: 'application.member.added',
    example: { body: { user: '01hy', role: 30 }, reply: { status: 'okay' } },
  }),
  'applicationMember.changeRole': route({
    method: 'PUT',
    path: '/api/v1/teams/:teamId/applications/:applicationId/members/:userId',
    summary: 'Change the role of a member in one application, at once',
    access: may('team:user:change-role', 'team'),
    params: OfMember,
    body: z.object({ role: z.int() }),
    reply: Ok,
    errors: ['invalid_team_role'],
    audit: 'application.member.role-changed',
    example: { body: { role: 10 }, reply: { status: 'okay' } },
  }),
  'applicationMember.remove': route({
    method: 'DELETE',
    path: '/api/v1/teams/:teamId/applications/:applicationId/members/:userId',
    summary: 'Take the role of a member in one application away, at once',
    access: may('team:user:change-role', 'team'),
    params: OfMember,
    reply: Ok,
    errors: [],
    audit: 'application.member.removed',
    example: { reply: { status: 'okay' } },
  }),
})
