import { type Invitation, type Invitee, roleName } from '@app/contract'
import { iso } from '../../platform/clock.ts'
import { avatarUrl, userSummaryView, type PersonRow } from '../account/index.ts'
import type { ListedInvitation } from './invitations.store.ts'

function inviteeView(row: ListedInvitation, users: Map<string, PersonRow>, baseUrl: string): Invitee {
  const user = row.invitee_id === null ? undefined : users.get(row.invitee_id)
  if (user) return userSummaryView(user, baseUrl)
  return row.email === null ? { link: true } : { external: true, email: row.email }
}

/** Undefined when the person who invited has gone between two reads; the invitation has gone with them. */
export function invitationView(
  row: ListedInvitation,
  users: Map<string, PersonRow>,
  baseUrl: string,
): Invitation | undefined {
  const invitor = users.get(row.invitor_id)
  if (!invitor) return undefined
  const expiresAt = iso(row.expires_at)
  return {
    id: row.id,
    role: row.role,
    roleName: roleName(row.role),
    createdAt: iso(row.created_at),
    expiresAt,
    expires: expiresAt,
    ...(row.sent_at === null ? {} : { sentAt: iso(row.sent_at) }),
    team: { id: row.team_id, name: row.team_name, slug: row.team_slug, avatar: avatarUrl(baseUrl, row.team_name) },
    invitor: userSummaryView(invitor, baseUrl),
    invitee: inviteeView(row, users, baseUrl),
  }
}
