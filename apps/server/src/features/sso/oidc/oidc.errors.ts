import type { SsoReason } from '@app/contract'
import { SsoRefusal } from '../sso.refusal.ts'

interface Fault {
  code?: string
  error?: string
  error_description?: string
  message?: string
  name?: string
  /** The claim of a token that is wrong. */
  claim?: string
  cause?: Fault | undefined
}

const byClaim: Record<string, SsoReason | undefined> = { iss: 'wrong_issuer', aud: 'wrong_audience' }
const byCode: Record<string, SsoReason | undefined> = {
  OAUTH_AUTHORIZATION_RESPONSE_ERROR: 'provider_refused',
  OAUTH_RESPONSE_BODY_ERROR: 'provider_refused',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'expired',
  OAUTH_TIMEOUT: 'provider_unreachable',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'provider_unreachable',
  OAUTH_RESPONSE_IS_NOT_JSON: 'provider_unreachable',
}
const longest = 300

/** The codes of a fault and of what caused it, from the outside in. */
function chain(error: unknown): Fault[] {
  const faults: Fault[] = []
  for (let one = error; typeof one === 'object' && one !== null && faults.length < 5; one = (one as Fault).cause)
    faults.push(one)
  return faults
}

/**
 * Why a sign-in by OpenID Connect failed, in our words and those of the provider. Neither the code of the sign-in nor a
 * token is in them.
 */
export function refusalOf(error: unknown): SsoRefusal {
  if (error instanceof SsoRefusal) return error
  const faults = chain(error)
  const said = faults.find((one) => typeof one.error === 'string')
  const told = [said?.error, said?.error_description].filter(Boolean).join(': ')
  const messages = faults.flatMap((one) => one.message ?? [])
  const claim = faults.flatMap((one) => one.claim ?? [])[0]
  // The innermost says most.
  const message = [told || messages.at(-1), claim].filter(Boolean).join(': ').slice(0, longest)
  if (claim !== undefined) return new SsoRefusal(byClaim[claim] ?? 'invalid_response', message)
  if (messages.some((one) => one.includes('"iss" (issuer)'))) return new SsoRefusal('wrong_issuer', message)
  const reason = faults.map((one) => byCode[one.code ?? '']).find((one) => one !== undefined)
  if (reason) return new SsoRefusal(reason, message)
  const offline = faults.some((one) => one.name === 'TypeError' && /fetch/.test(one.message ?? ''))
  return new SsoRefusal(offline ? 'provider_unreachable' : 'invalid_response', message)
}
