import { tokenKinds } from '@app/contract'

/** The platform's own secrets, which no upstream may see. */
export interface OwnSecrets {
  /** Names of cookies, lower case, that are the platform's alone whatever they hold. */
  cookies: ReadonlySet<string>
  /** Does an Authorization header hold a token of the platform, be it whole or not? */
  isCredential(authorization: string): boolean
  /** Does a text hold a whole token of the platform? */
  isIn(text: string): boolean
  /** The same for the path and query of a request, where an authorization code may stand: it is made for there. */
  isInTarget(target: string): boolean
}

const kinds = Object.keys(tokenKinds)
const prefixes = kinds.join('|')
const beginning = new RegExp(`(?:^|[^a-z0-9_-])(?:${prefixes})_`, 'i')
/** Tokens have 43 characters and more behind the prefix; what has some fewer was cut on its way. */
const wholeOf = (names: string) => new RegExp(`(?:^|[^a-z0-9_-])(?:${names})_[\\w-]{32}`, 'i')
const whole = wholeOf(prefixes)
const wholeInTarget = wholeOf(kinds.filter((kind) => kind !== 'ffc').join('|'))

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
  const isConfigured = (text: string) => configured.some((token) => text.includes(token))
  const isIn = (text: string) => whole.test(text) || isConfigured(text)
  return {
    cookies: new Set(names.filter((name) => name.startsWith('__host-'))),
    isCredential: (authorization) =>
      beginning.test(authorization) || isIn(authorization) || isIn(inBasic(authorization)),
    isIn,
    isInTarget: (target) => wholeInTarget.test(target) || isConfigured(target),
  }
}
