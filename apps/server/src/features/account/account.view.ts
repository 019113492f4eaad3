import type { Session, User, UserSummary } from '@app/contract'
import { iso } from '../../platform/clock.ts'
import type { PersonRow, UserRow } from './account.store.ts'
import { deviceName } from './devices.ts'
import type { SessionRow } from './sessions.store.ts'

/** Address of the picture generated from a name (two initials). */
export function avatarUrl(baseUrl: string, name: string): string {
  return `${baseUrl}/avatar/${Buffer.from(name).toString('base64url')}`
}

export function userSummaryView(row: PersonRow, baseUrl: string): UserSummary {
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

/** The parts of a user that audit entries carry. */
export const userRef = ({ id, name, username, email }: Pick<UserRow, 'id' | 'name' | 'username' | 'email'>) => ({
  id,
  name,
  username,
  email,
})

export interface UserViewOptions {
  baseUrl: string
  /** `tcs_accepted` shows only while terms are required. */
  termsRequired: boolean
  /** Does a new address wait for its link? */
  pendingEmail: boolean
  /** Is single sign-on on? */
  sso: boolean
  /** Is there free credit for a first subscription? Undefined where the platform gives none. */
  freeCredit?: boolean | undefined
}

/** The public part of a user record. */
export const identityView = (row: PersonRow, baseUrl: string): User => ({
  ...userSummaryView(row, baseUrl),
  email_verified: row.email_verified === 1,
})

export function userView(row: PersonRow, options: UserViewOptions): User {
  const { baseUrl, termsRequired, pendingEmail, sso, freeCredit } = options
  return {
    ...identityView(row, baseUrl),
    ...(row.email_verified || !row.proof_waived ? {} : { email_proof_waived: true as const }),
    ...(row.default_team_id ? { defaultTeam: row.default_team_id } : {}),
    ...(row.password_expired ? { password_expired: true as const } : {}),
    ...(sso ? { sso_enabled: row.sso_enabled === 1 } : {}),
    ...(pendingEmail ? { pendingEmailChange: true as const } : {}),
    ...(freeCredit === undefined ? {} : { free_trial_available: freeCredit }),
    ...(termsRequired && row.tcs_accepted_at ? { tcs_accepted: iso(row.tcs_accepted_at) } : {}),
  }
}

export function sessionView(row: SessionRow, currentId: string): Session {
  return {
    id: row.id,
    current: row.id === currentId,
    address: row.address,
    device: deviceName(row.user_agent),
    userAgent: row.user_agent,
    createdAt: iso(row.created_at),
    lastSeenAt: iso(row.last_seen_at),
    expiresAt: iso(row.expires_at),
  }
}
