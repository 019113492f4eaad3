import type { PlatformSettings, User } from '@app/contract'

export type Gate =
  | 'offline'
  | 'pending'
  | 'setup'
  | 'password-expired'
  | 'unverified'
  | 'second-factor'
  | 'terms'
  | 'login'
  | 'page'

export interface GateFacts {
  offline: boolean
  /** null: nobody is signed in; undefined: not known yet. */
  user: User | null | undefined
  settings: PlatformSettings | undefined
  /** The page needs nobody to be signed in. */
  isPublic: boolean
  /** The page that verifies an e-mail address. */
  isVerifyPage: boolean
}

/**
 * Which screen stands before the page: the first of the gates wins [SHELL-17]. A page that is open stays open
 * while the server is away: the last data are worth more than none.
 */
export function gateOf({ offline, ...facts }: GateFacts): Gate {
  const gate = gateOnline(facts)
  return offline && gate !== 'page' ? 'offline' : gate
}

function gateOnline({ user, settings, isPublic, isVerifyPage }: Omit<GateFacts, 'offline'>): Gate {
  if (user === undefined || !settings) return 'pending'
  if (user?.password_expired) return 'password-expired'
  if (user && !user.email_verified && !user.email_proof_waived && !isVerifyPage) return 'unverified'
  if (user?.mfa_missing) return 'second-factor'
  if (user && termsRequired(user, settings)) return 'terms'
  if (isPublic || user) return 'page'
  // Nobody can sign in to a platform that has no administrator yet.
  return settings.setup ? 'setup' : 'login'
}

/** Must this user accept the terms, for the first time or again? [TCS-01, TCS-02, TCS-03] */
export function termsRequired(user: User, settings: PlatformSettings): boolean {
  const date = settings['user:tcs-date']
  if (!settings['user:tcs-required'] || !date) return false
  return !user.tcs_accepted || Date.parse(date) > Date.parse(user.tcs_accepted)
}
