import { type Invitation, type InviteReply, limits, okay, roleName, roles } from '@app/contract'
import type { Actor, UserActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { counted } from '../../platform/counted.ts'
import { hashToken, newToken } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { actorFor, loginKey, userRef, type PersonRow } from '../account/index.ts'
import { type Audit, teamScope } from '../audit/index.ts'
import type { Mail } from '../mail/index.ts'
import type { Quotas } from '../team-types/index.ts'
import { checkMemberRole, type Members, type TeamRow } from '../teams/index.ts'
import { type InviteChecks, judgeInputs, splitInputs, type Wanted } from './inputs.ts'
import { letters } from './invitations.mails.ts'
import { createSeats } from './invitations.seats.ts'
import {
  deleteExpired,
  deleteInvitation,
  deleteInvitations,
  insertInvitations,
  type InvitationFilter,
  type InvitationRow,
  listInvitations,
  type ListedInvitation,
  listUsers,
  listUsersByKeys,
  readdress,
  renewInvitation,
} from './invitations.store.ts'
import { invitationView } from './invitations.view.ts'

export interface InvitationDependencies {
  database: Database
  clock: Clock
  audit: Audit
  mail: Mail
  members: Members
  quotas: Pick<Quotas, 'seats'>
  baseUrl: string
  /** May people without an account be invited? */
  externalAllowed(): Promise<boolean>
  /** May people be members without a role in the team? */
  limitedAllowed(): Promise<boolean>
}

export type Invitations = ReturnType<typeof createInvitations>

/** Somebody to invite; `code` is '' for those who have an account. */
type Coded = Wanted & { code: string }
const withCode = (wanted: Wanted): Coded => ({ ...wanted, code: wanted.user ? '' : newToken('ffin') })
const hashOf = (code: string) => (code === '' ? null : hashToken(code))

export const invitationLife = 7 * 24 * 3_600_000
const resendEvery = 60_000

/** Invitations into teams, of people with an account and of addresses without one. */
export function createInvitations(deps: InvitationDependencies) {
  const { database, clock, audit, mail, members, baseUrl } = deps
  const { read } = database
  const seats = createSeats(deps)

  const rows = (filter: InvitationFilter) => listInvitations(read, filter, clock.now())

  async function list(filter: InvitationFilter): Promise<Invitation[]> {
    const found = await rows(filter)
    const ids = new Set(found.flatMap((row) => [row.invitor_id, row.invitee_id ?? []].flat()))
    const users = new Map((await listUsers(read, [...ids])).map((user) => [user.id, user]))
    return found.flatMap((row) => invitationView(row, users, baseUrl) ?? [])
  }

  /** @throws Failure not_found, also for what is somebody else's. */
  async function one(filter: InvitationFilter): Promise<ListedInvitation> {
    const [row] = await rows(filter)
    if (!row) throw fail('not_found')
    return row
  }

  async function checksFor(team: TeamRow, inputs: readonly string[]): Promise<InviteChecks> {
    const keys = inputs.map(loginKey)
    const users = await listUsersByKeys(read, keys)
    const ids = users.map(({ id }) => id)
    return {
      users,
      members: await members.among(team.id, ids),
      invited: await rows({ teamId: team.id }),
      external: (await deps.externalAllowed()) ? (mail.configured ? 'yes' : 'no-mail') : 'no',
    }
  }

  /** An invitation and, for an address without an account, the code that its mail carries. */
  function rowFor(actor: UserActor, team: TeamRow, { user, email, code }: Coded, role: number): InvitationRow {
    const now = clock.now()
    return {
      id: newId(),
      team_id: team.id,
      invitor_id: actor.userId,
      invitee_id: user?.id ?? null,
      email: email ?? null,
      email_key: email === undefined ? null : loginKey(email),
      role,
      code_hash: hashOf(code),
      created_at: now,
      expires_at: now + invitationLife,
      sent_at: mail.configured ? now : null,
    }
  }

  async function tell(tx: Tx, actor: UserActor, team: TeamRow, row: InvitationRow, { user, code }: Coded) {
    const role = roleName(row.role)
    const invitee = user ? { ...userRef(user), role } : { email: row.email ?? '', role }
    await audit.record(tx, actor, 'team.user.invited', teamScope(team.id), { user: invitee })
    const invited = { to: user?.email ?? row.email ?? '', invitor: actor.name, team: team.name, role: row.role }
    await mail.send(tx, user ? letters.toUser(invited, baseUrl) : letters.toAddress(invited, baseUrl, code))
  }

  return {
    mine: (actor: UserActor) => list({ inviteeId: actor.userId }),
    ofTeam: (teamId: string) => list({ teamId }),
    all: () => list({}),

    /** Invites whoever can be invited, and says of each other input why not. */
    async create(actor: Actor, team: TeamRow, text: string, role: number = roles.member): Promise<InviteReply> {
      if (actor.kind !== 'user') throw fail('unauthorized', undefined, { status: 403 })
      await checkMemberRole(role, deps.limitedAllowed)
      const inputs = splitInputs(text)
      if (inputs.length === 0) throw fail('invalid_request', 'user: Required', { field: 'user' })
      if (inputs.length > limits.invitees) throw fail('too_many_invites', undefined, { field: 'user' })
      const { wanted, faults } = judgeInputs(inputs, await checksFor(team, inputs))
      await database.transact(async (tx) => {
        await seats.refuseFull(tx, team, inputs.length)
        await deleteExpired(tx, clock.now())
        const rows = new Map(wanted.map(withCode).map((each) => [rowFor(actor, team, each, role), each]))
        const added = new Set((await insertInvitations(tx, [...rows.keys()])).map(({ id }) => id))
        for (const [row, each] of rows) if (added.has(row.id)) await tell(tx, actor, team, row, each)
      })
      return Object.keys(faults).length === 0 ? okay : { code: 'invitation_failed', error: faults }
    },

    async accept(actor: UserActor, id: string): Promise<void> {
      const row = await one({ id, inviteeId: actor.userId })
      const [user] = await listUsers(read, [actor.userId])
      if (!user) throw fail('unauthorized')
      await database.transact(async (tx) => {
        const most = await seats.areTaken(tx, row.team_id)
        if (most !== undefined) throw fail('invitation_failed', `The team is full: it has ${counted(most, 'member')}`)
        if (!(await deleteInvitation(tx, id))) throw fail('not_found')
        await members.add(tx, [{ teamId: row.team_id, userId: user.id, role: row.role }])
        const body = { user: { ...userRef(user), role: roleName(row.role) } }
        await audit.record(tx, actor, 'user.invitation.accepted', { type: 'user', id: user.id }, {})
        await audit.record(tx, actor, 'team.user.invite.accepted', teamScope(row.team_id), body)
      })
    },

    async reject(actor: UserActor, id: string): Promise<void> {
      const row = await one({ id, inviteeId: actor.userId })
      const user = { id: actor.userId, name: actor.name, username: actor.username, role: roleName(row.role) }
      await database.transact(async (tx) => {
        if (!(await deleteInvitation(tx, id))) throw fail('not_found')
        await audit.record(tx, actor, 'user.invitation.deleted', { type: 'user', id: actor.userId }, {})
        await audit.record(tx, actor, 'team.user.invite.rejected', teamScope(row.team_id), { user })
      })
    },

    /** Mails an invitation again, not more often than every minute; it is good for another 7 days. */
    async resend(actor: Actor, team: TeamRow, id: string): Promise<void> {
      if (actor.kind !== 'user') throw fail('unauthorized', undefined, { status: 403 })
      if (!mail.configured)
        throw fail('invalid_request', 'No mail can be sent: mail is not configured on this platform')
      const row = await one({ id, teamId: team.id })
      if (row.invitee_id === null && row.email === null)
        throw fail('invalid_request', 'A link cannot be mailed. Create a new one instead.')
      const [user] = await listUsers(read, row.invitee_id === null ? [] : [row.invitee_id])
      const now = clock.now()
      await database.transact(async (tx) => {
        const coded = withCode({ user })
        const change = { sent_at: now, expires_at: now + invitationLife, code_hash: hashOf(coded.code) }
        if (!(await renewInvitation(tx, id, change, now - resendEvery)))
          throw fail('too_many_requests', 'This invitation was mailed just now: try again in a minute')
        await tell(tx, actor, team, row, coded)
      })
    },

    async withdraw(actor: Actor, teamId: string, id: string): Promise<void> {
      const row = await one({ id, teamId })
      const [user] = await listUsers(read, row.invitee_id === null ? [] : [row.invitee_id])
      const role = roleName(row.role)
      await database.transact(async (tx) => {
        if (!(await deleteInvitation(tx, id))) throw fail('not_found')
        const body = user
          ? { user: { ...userRef(user), role } }
          : row.email === null
            ? { user: { role }, info: { link: true } }
            : { user: { email: row.email, role } }
        await audit.record(tx, actor, 'team.user.uninvited', teamScope(teamId), body)
      })
    },

    /** Does an invitation wait for an address that nobody has an account with? */
    isInvited: async (email: string): Promise<boolean> => (await rows({ emailKey: loginKey(email) })).length > 0,

    /** Was this code mailed to this address, in an invitation that still waits? */
    holds: async (tx: Tx, email: string, code: string): Promise<boolean> => {
      const filter = { emailKey: loginKey(email), codeHash: hashToken(code) }
      return (await listInvitations(tx, filter, clock.now())).length > 0
    },

    /**
     * Takes a user whose address is proven into the teams that invited it. A team that is full by now goes on inviting
     * them, by their account.
     */
    async adopt(tx: Tx, user: PersonRow): Promise<void> {
      const all = await listInvitations(tx, { emailKey: user.email_key }, clock.now())
      const waiting: ListedInvitation[] = []
      // An address is invited by few teams, each once.
      for (const row of all.toSorted((a, b) => (a.team_id < b.team_id ? -1 : 1))) {
        if ((await seats.areTaken(tx, row.team_id)) !== undefined) await readdress(tx, row, user.id)
        else waiting.push(row)
      }
      if (waiting.length === 0) return
      await members.add(
        tx,
        waiting.map(({ team_id, role }) => ({ teamId: team_id, userId: user.id, role })),
      )
      await deleteInvitations(
        tx,
        waiting.map(({ id }) => id),
      )
      const actor = actorFor(user, '')
      for (const { team_id, role } of waiting) {
        const body = { user: { ...userRef(user), role: roleName(role) } }
        await audit.record(tx, actor, 'team.user.invite.accepted', teamScope(team_id), body)
      }
    },
  }
}
