import type { Session, User, UserSummary } from '@app/contract'
import { iso } from '../../platform/clock.ts'
import type { UserRow } from './account.store.ts'
import type { SessionRow } from './sessions.store.ts'

/** Address of the picture generated from a name (two initials). */
export function avatarUrl(baseUrl: string, name: string): string {
  return `${baseUrl}/avatar/${Buffer.from(name).toString('base64url')}`
}

export function userSummaryView(row: UserRow, baseUrl: string): UserSummary {
  return {
    id: row.id,
    username: row.username,
    name: row.name,
    email: row.email,
    avatar: avatarUrl(baseUrl, row.name),
    admin: row.admin === 1,
    createdAt: iso(row.created_at),
    suspended: row.suspended === 1,
  }
}

/** `tcs_accepted` shows only while terms are required. */
export function userView(row: UserRow, baseUrl: string, termsRequired: boolean): User {
  return {
    ...userSummaryView(row, baseUrl),
    email_verified: row.email_verified === 1,
    ...(row.default_team_id ? { defaultTeam: row.default_team_id } : {}),
    ...(row.password_expired ? { password_expired: true as const } : {}),
    ...(termsRequired && row.tcs_accepted_at ? { tcs_accepted: iso(row.tcs_accepted_at) } : {}),
  }
}

export function sessionView(row: SessionRow, currentId: string): Session {
  return {
    id: row.id,
    current: row.id === currentId,
    address: row.address,
    userAgent: row.user_agent,
    createdAt: iso(row.created_at),
    lastSeenAt: iso(row.last_seen_at),
    expiresAt: iso(row.expires_at),
  }
}
