/** Reasons for which a sign-in through a provider is refused, each with a sentence for administrators. */
export const ssoReasons = {
  provider_inactive: 'This provider is not active.',
  provider_unreachable: 'The provider did not answer.',
  provider_refused: 'The provider refused the sign-in.',
  wrong_password: 'The provider did not accept the user name and password.',
  invalid_response: 'The answer of the provider cannot be read, or is not signed as it must be.',
  bad_signature: 'The answer is not signed by the certificate of this provider.',
  wrong_issuer: 'The answer is from another issuer than this provider.',
  wrong_audience: 'The answer is for another application.',
  expired: 'The answer is not valid at this time. Compare the clocks of both servers.',
  replayed: 'This answer was used before.',
  unsolicited: 'Nobody here asked for this answer, and the provider may not begin a sign-in.',
  wrong_browser: 'The sign-in was begun in another browser, or too long ago.',
  no_address: 'The provider sent no e-mail address.',
  foreign_address: 'The e-mail address is not of the domain of this provider.',
  unproven_address: 'The provider does not say that the e-mail address is verified.',
  unknown_sso_user: 'There is no account for this person, and nobody invited them.',
  other_identity: 'The account of this address belongs to another person at this provider.',
  user_suspended: 'The account is suspended.',
  too_many_requests: 'Too many wrong passwords. Try again in some minutes.',
} as const
export type SsoReason = keyof typeof ssoReasons
export const ssoReasonNames = Object.keys(ssoReasons) as [SsoReason, ...SsoReason[]]
