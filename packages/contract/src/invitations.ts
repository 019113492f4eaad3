import * as z from 'zod/mini'
import { UserSummary } from './account.ts'
import { limits } from './constants.ts'
import { Id, Ok, PageMeta, TeamParams, Time } from './primitives.ts'
import { anyone, may, route } from './route.ts'

/** Invited person: somebody with an account, the holder of an address, or whoever opens a link first. */
export const Invitee = z.union([
  UserSummary,
  z.object({ external: z.literal(true), email: z.string() }),
  z.object({ link: z.literal(true) }),
])
export type Invitee = z.infer<typeof Invitee>

export const Invitation = z.object({
  id: Id,
  role: z.number(),
  roleName: z.string(),
  createdAt: Time,
  expiresAt: Time,
  /** The same as `expiresAt`, under the name that older clients read. */
  expires: Time,
  /** When the mail was handed to the mail server. */
  sentAt: z.optional(Time),
  team: z.object({ id: Id, name: z.string(), slug: z.string(), avatar: z.string() }),
  invitor: UserSummary,
  invitee: Invitee,
})
export type Invitation = z.infer<typeof Invitation>

const InvitationList = z.object({ meta: PageMeta, count: z.number(), invitations: z.array(Invitation) })
const OwnParams = z.object({ invitationId: Id })
const OfTeamParams = z.object({ teamId: Id, invitationId: Id })

/** All invited, or what was wrong with single inputs while the others were invited. */
export const InviteReply = z.union([
  Ok,
  z.object({ code: z.literal('invitation_failed'), error: z.record(z.string(), z.string()) }),
])
export type InviteReply = z.infer<typeof InviteReply>

const Code = z.object({ code: z.string().check(z.minLength(1, 'Required'), z.maxLength(200)) })

/** A link as it was made, and `signUp`: may people without an account use it? */
export const LinkMade = z.object({ id: Id, url: z.string(), role: z.number(), expiresAt: Time, signUp: z.boolean() })
export type LinkMade = z.infer<typeof LinkMade>

/** The details of an invitation that a visitor of its link sees before signing in or up. */
export const InvitationOffer = z.object({
  team: z.object({ name: z.string() }),
  invitor: z.object({ name: z.string(), username: z.string() }),
  role: z.number(),
  roleName: z.string(),
  expiresAt: Time,
  /** May somebody without an account sign up with this link? */
  signUp: z.boolean(),
})
export type InvitationOffer = z.infer<typeof InvitationOffer>

export const invitationRoutes = {
  'invitation.createLink': route({
    method: 'POST',
    path: '/api/v1/teams/:teamId/invitation-links',
    summary: 'Create an invitation link. It works once, within 7 days, and only this answer shows it',
    access: may('team:user:invite', 'team'),
    params: TeamParams,
    body: z.object({
      /** A team role; member when absent. */
      role: z.optional(z.int()),
    }),
    reply: LinkMade,
    errors: ['too_many_invites', 'invalid_team_role', 'invitation_failed'],
    audit: 'team.user.invited',
    example: { body: { role: 30 } },
  }),
  'invitation.readLink': route({
    method: 'POST',
    path: '/api/v1/invitation-links/read',
    summary: 'Team and role that an invitation link offers',
    access: anyone,
    body: Code,
    reply: InvitationOffer,
    errors: [],
  }),
  'invitation.acceptLink': route({
    method: 'POST',
    path: '/api/v1/user/invitation-links',
    summary: 'Accept an invitation link and join its team',
    access: may('user:edit', 'self'),
    body: Code,
    reply: z.object({ id: Id, name: z.string(), slug: z.string() }),
    errors: ['invitation_failed'],
    audit: 'team.user.invite.accepted',
  }),
  'invitation.mine': route({
    method: 'GET',
    path: '/api/v1/user/invitations',
    summary: 'Pending invitations of the signed-in user',
    access: may('user:edit', 'self'),
    reply: InvitationList,
    errors: [],
  }),
  'invitation.accept': route({
    method: 'PATCH',
    path: '/api/v1/user/invitations/:invitationId',
    summary: 'Accept an invitation and become a member',
    access: may('user:edit', 'self'),
    params: OwnParams,
    reply: Ok,
    errors: ['invitation_failed'],
    audit: 'user.invitation.accepted',
    example: { reply: { status: 'okay' } },
  }),
  'invitation.reject': route({
    method: 'DELETE',
    path: '/api/v1/user/invitations/:invitationId',
    summary: 'Reject an invitation',
    access: may('user:edit', 'self'),
    params: OwnParams,
    reply: Ok,
    errors: [],
    audit: 'user.invitation.deleted',
    example: { reply: { status: 'okay' } },
  }),
  'invitation.listOfTeam': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/invitations',
    summary: 'Pending invitations of a team',
    access: may('team:user:invite', 'team'),
    params: TeamParams,
    reply: InvitationList,
    errors: [],
  }),
  'invitation.create': route({
    method: 'POST',
    path: '/api/v1/teams/:teamId/invitations',
    summary: 'Invite up to 5 people, by user name or address, separated by commas',
    access: may('team:user:invite', 'team'),
    params: TeamParams,
    body: z.object({
      user: z.string().check(z.trim(), z.minLength(1, 'Required'), z.maxLength(limits.inviteesText)),
      /** A team role; member when absent. */
      role: z.optional(z.int()),
    }),
    reply: InviteReply,
    errors: ['too_many_invites', 'invalid_team_role', 'invitation_failed'],
    audit: 'team.user.invited',
    example: { body: { user: 'bob, carol@example.com', role: 30 }, reply: { status: 'okay' } },
  }),
  'invitation.withdraw': route({
    method: 'DELETE',
    path: '/api/v1/teams/:teamId/invitations/:invitationId',
    summary: 'Withdraw an invitation',
    access: may('team:user:invite', 'team'),
    params: OfTeamParams,
    reply: Ok,
    errors: [],
    audit: 'team.user.uninvited',
    example: { reply: { status: 'okay' } },
  }),
  'invitation.resend': route({
    method: 'POST',
    path: '/api/v1/teams/:teamId/invitations/:invitationId',
    summary: 'Resend an invitation. It is valid for another 7 days',
    access: may('team:user:invite', 'team'),
    params: OfTeamParams,
    reply: Ok,
    errors: ['invalid_request', 'too_many_requests'],
    audit: 'team.user.invited',
    example: { reply: { status: 'okay' } },
  }),
  'invitation.list': route({
    method: 'GET',
    path: '/api/v1/admin/invitations',
    summary: 'Pending invitations of every team',
    access: may('invitation:list', 'platform'),
    reply: InvitationList,
    errors: [],
  }),
}
