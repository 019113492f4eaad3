import type { SsoReason } from '@app/contract'

const again = 'If that does not help, tell your administrator.'

/** The reasons with which the server sends somebody back to the login page, in words for that person. */
const sentences: Record<SsoReason, string> = {
  provider_inactive: 'This sign-in provider is not active. Sign in another way, or ask your administrator.',
  provider_unreachable: `Your sign-in provider did not answer. Try again in a few minutes. ${again}`,
  provider_refused: `Your sign-in provider did not sign you in. Try again. ${again}`,
  wrong_password: 'The user name or the password is wrong. Use those of your company.',
  invalid_response: `The answer of your sign-in provider could not be read. Try again. ${again}`,
  bad_signature:
    'The answer of your sign-in provider has an unknown signature. Ask your administrator to check the certificate.',
  wrong_issuer: `The answer came from another sign-in provider. Try again. ${again}`,
  wrong_audience:
    'The answer of your sign-in provider was for another application. Ask your administrator to check its set-up there.',
  expired:
    'The answer of your sign-in provider was too old. Try again. If that does not help, ask your administrator to compare the clocks.',
  replayed: 'This sign-in was used before. Sign in again.',
  unsolicited: 'Sign-ins cannot begin at your sign-in provider. Start here.',
  wrong_browser: 'The sign-in began in another browser, or took too long. Sign in again.',
  no_address: 'Your sign-in provider sent no email address. Ask your administrator to have it sent.',
  foreign_address: 'Your email address is not one of this sign-in provider. Sign in another way.',
  unproven_address: 'Your sign-in provider has not verified your email address. Verify it there, then sign in again.',
  unknown_sso_user: 'You have no account here. Ask an administrator for an invitation.',
  other_identity: 'The account with your email address is linked to somebody else. Ask your administrator.',
  user_suspended: 'Your account is suspended. Ask your administrator.',
  too_many_requests: 'There were too many sign-ins in a short time. Wait some minutes, then try again.',
}

/** A newer server may know more reasons than this console. */
const unknown = `Your sign-in provider did not sign you in. Try again. ${again}`

/** The refusal that the query of an address tells of, in words; undefined when it tells of none. */
export function refusalIn(search: string): string | undefined {
  const reason = new URLSearchParams(search).get('sso')
  if (reason === null) return undefined
  return Object.hasOwn(sentences, reason) ? sentences[reason as SsoReason] : unknown
}

/** The same address without it. */
export function withoutRefusal({ pathname, search }: { pathname: string; search: string }): string {
  const query = new URLSearchParams(search)
  if (!query.has('sso')) return pathname + search
  query.delete('sso')
  return query.size > 0 ? `${pathname}?${query.toString()}` : pathname
}
