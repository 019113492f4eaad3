import type { SsoOptions } from '@app/contract'
import type { Arrival } from '../sign-in.service.ts'

type Claims = Record<string, unknown>

/** Claims that bind an answer to its request, and say nothing about the person. */
const technical: readonly string[] = ['nonce', 'at_hash', 'c_hash', 's_hash', 'rt_hash', 'sid', 'jti']

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function listOf(value: unknown): string[] | undefined {
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return undefined
  return value.flatMap((one: unknown) =>
    typeof one === 'string' ? [one] : (textOf((one as Claims | null)?.name) ?? []),
  )
}

/** A claim that is true or false; some providers send it as a text. Undefined when it is neither. */
function flagOf(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : undefined
}

/** Does the claim with the address, or that of the groups, have to be asked for? */
export function lacksClaims(claims: Claims, options: SsoOptions): boolean {
  return (
    claims[options.emailAttribute || 'email'] === undefined || claims[options.groupsAttribute || 'groups'] === undefined
  )
}

/** The person of whom a provider speaks. */
export function personOf(claims: Claims, options: SsoOptions): Omit<Arrival, 'provider' | 'returnTo'> {
  const { email_verified: verified } = claims
  return {
    subject: String(claims.sub),
    email: textOf(claims[options.emailAttribute || 'email']),
    emailVerified: flagOf(verified),
    name: textOf(claims[options.nameAttribute || 'name']),
    username: textOf(claims[options.usernameAttribute || 'preferred_username']),
    groups: listOf(claims[options.groupsAttribute || 'groups']),
    sent: Object.fromEntries(Object.entries(claims).filter(([name]) => !technical.includes(name))),
  }
}
