import { tokenKinds } from '@app/contract'

/** The platform's own secrets, which no upstream may see. */
export interface OwnSecrets {
  /** Names of cookies, lower case, that are the platform's alone whatever they hold. */
  cookies: ReadonlySet<string>
  /** Does an Authorization header hold a token of the platform, be it whole or not? */
  isCredential(authorization: string): boolean
  /** Does a text hold a whole token of the platform? */
  isIn(text: string): boolean
}

const prefixes = Object.keys(tokenKinds).join('|')
const beginning = new RegExp(`(?:^|[^a-z0-9_-])(?:${prefixes})_`, 'i')
/** Tokens have 43 characters and more behind the prefix; what has some fewer was cut on its way. */
const whole = new RegExp(`(?:^|[^a-z0-9_-])(?:${prefixes})_[\\w-]{32}`, 'i')

/** The name and password of Basic authentication: programs put tokens there too. */
function inBasic(authorization: string): string {
  const [, encoded = ''] = /^basic\s+(\S+)/i.exec(authorization) ?? []
  return Buffer.from(encoded, 'base64').toString('latin1')
}

/**
 * `cookieNames` are those of the console; only with the `__Host-` prefix can no other application use them by chance.
 * `configured` are tokens which the operator has chosen, so that no prefix tells them.
 */
export function ownSecrets(cookieNames: readonly string[], configured: readonly string[]): OwnSecrets {
  const names = cookieNames.map((name) => name.toLowerCase())
  const isIn = (text: string) => whole.test(text) || configured.some((token) => text.includes(token))
  return {
    cookies: new Set(names.filter((name) => name.startsWith('__host-'))),
    isCredential: (authorization) =>
      beginning.test(authorization) || isIn(authorization) || isIn(inBasic(authorization)),
    isIn,
  }
}
