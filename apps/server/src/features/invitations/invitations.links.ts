import { type InvitationOffer, type LinkMade, roleName, roles } from '@app/contract'
import { counted } from '../../platform/counted.ts'
import { teamScope } from '../audit/index.ts'
import type { Actor, UserActor } from '../../platform/authz/actor.ts'
import { iso } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/crypto.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { actorFor, userRef, type PersonRow } from '../account/index.ts'
import { checkMemberRole, type TeamRow } from '../teams/index.ts'
import { createSeats } from './invitations.seats.ts'
import { invitationLife, type InvitationDependencies } from './invitations.service.ts'
import {
  countLinks,
  deleteExpired,
  deleteInvitation,
  insertInvitations,
  listInvitations,
  type ListedInvitation,
  listUsers,
  readdress,
} from './invitations.store.ts'

const mostLinks = 20

export type InvitationLinks = ReturnType<typeof createInvitationLinks>

const invalid = () => fail('not_found', 'This invitation link is not valid any more. Ask for a new one.')

/**
 * Invitations that people hand over themselves: a link with a code, for whoever opens it first. It proves no address,
 * since it reaches people in whatever way.
 */
export function createInvitationLinks(deps: InvitationDependencies) {
  const { database, clock, audit, mail, members, baseUrl } = deps
  const { read } = database
  const seats = createSeats(deps)

  async function find(db: typeof read | Tx, code: string): Promise<ListedInvitation | undefined> {
    return (await listInvitations(db, { linkHash: hashToken(code) }, clock.now()))[0]
  }

  /** Mail invites whom the setting lets in; without mail an administrator, who may add people anyway, decides. */
  async function letsSignUp(invitorId: string): Promise<boolean> {
    if (mail.configured) return deps.externalAllowed()
    const [invitor] = await listUsers(read, [invitorId])
    return invitor?.admin === 1 && invitor.suspended === 0
  }

  async function join(tx: Tx, row: ListedInvitation, user: PersonRow, address: string): Promise<void> {
    await members.add(tx, [{ teamId: row.team_id, userId: user.id, role: row.role }])
    const actor = actorFor(user, address)
    const body = { user: { ...userRef(user), role: roleName(row.role) } }
    await audit.record(tx, actor, 'user.invitation.accepted', { type: 'user', id: user.id }, {})
    await audit.record(tx, actor, 'team.user.invite.accepted', teamScope(row.team_id), body)
  }

  return {
    /** Makes a link. It is shown in this answer alone: what is kept is a hash. */
    async create(actor: Actor, team: TeamRow, role: number = roles.member): Promise<LinkMade> {
      if (actor.kind !== 'user') throw fail('unauthorized', undefined, { status: 403 })
      await checkMemberRole(role, deps.limitedAllowed)
      const code = newToken('ffin')
      const now = clock.now()
      const row = {
        id: newId(),
        team_id: team.id,
        invitor_id: actor.userId,
        invitee_id: null,
        email: null,
        email_key: null,
        role,
        code_hash: hashToken(code),
        created_at: now,
        expires_at: now + invitationLife,
        sent_at: null,
      }
      await database.transact(async (tx) => {
        await seats.refuseFull(tx, team, 1)
        await deleteExpired(tx, now)
        if ((await countLinks(tx, team.id)) >= mostLinks)
          throw fail('too_many_invites', `The team has ${mostLinks} open invitation links. Remove one first.`)
        await insertInvitations(tx, [row])
        const body = { user: { role: roleName(role) }, info: { link: true } }
        await audit.record(tx, actor, 'team.user.invited', teamScope(team.id), body)
      })
      return {
        id: row.id,
        url: `${baseUrl}/account/invitation#${code}`,
        role,
        expiresAt: iso(row.expires_at),
        signUp: await letsSignUp(actor.userId),
      }
    },

    /** The offer of a link, for everybody who has it. */
    async read(code: string): Promise<InvitationOffer> {
      const row = await find(read, code)
      const [invitor] = row ? await listUsers(read, [row.invitor_id]) : []
      if (!row || !invitor) throw invalid()
      return {
        team: { name: row.team_name },
        invitor: { name: invitor.name, username: invitor.username },
        role: row.role,
        roleName: roleName(row.role),
        expiresAt: iso(row.expires_at),
        signUp: await letsSignUp(row.invitor_id),
      }
    },

    /** Makes the caller a member of the team, once. */
    async accept(actor: UserActor, code: string): Promise<{ id: string; name: string; slug: string }> {
      const row = await find(read, code)
      const [user] = await listUsers(read, [actor.userId])
      if (!row || !user) throw invalid()
      await database.transact(async (tx) => {
        const most = await seats.areTaken(tx, row.team_id)
        // Counted alone first, so that two answers of one person do not both find that they are no member.
        if ((await members.among(row.team_id, [user.id], tx)).has(user.id))
          throw fail('invitation_failed', 'You are a member of this team already')
        if (most !== undefined) throw fail('invitation_failed', `The team is full: it has ${counted(most, 'member')}`)
        if (!(await deleteInvitation(tx, row.id))) throw invalid()
        await join(tx, row, user, actor.address)
      })
      return { id: row.team_id, name: row.team_name, slug: row.team_slug }
    },

    /** May somebody without an account sign up with this code? */
    async admits(code: string): Promise<boolean> {
      const row = await find(read, code)
      return row !== undefined && letsSignUp(row.invitor_id)
    },

    /**
     * Takes whoever signs up with a link into its team; false when it was used or withdrawn meanwhile. A team that is
     * full by now goes on inviting them, by their account.
     */
    async take(tx: Tx, user: PersonRow, code: string, address: string): Promise<boolean> {
      const found = await find(tx, code)
      if (!found) return false
      const most = await seats.areTaken(tx, found.team_id)
      // Once more, since somebody else may have used it before this transaction had the team to itself.
      const row = await find(tx, code)
      if (!row) return false
      if (most !== undefined) {
        await readdress(tx, row, user.id)
        return true
      }
      if (!(await deleteInvitation(tx, row.id))) return false
      await join(tx, row, user, address)
      return true
    },
  }
}
