import type { LaunchSpec } from '@app/contract/instance-link'
import { isOk, send } from '../http.client.ts'
import { Refusal } from '../platform.client.ts'
import type { TokenAnswer } from './grants.ts'

const timeoutMs = 15_000

type Grant =
  | { grant_type: 'refresh_token'; refresh_token: string }
  | { grant_type: 'editor_session'; username: string }
  | { grant_type: 'authorization_code'; code: string; code_verifier: string; redirect_uri: string }

/**
 * Exchanges a code or a refresh token of the platform.
 * @throws Refusal when the platform says no; Error when it cannot say anything at the moment.
 */
export async function exchange({ platformUrl, client }: LaunchSpec, grant: Grant): Promise<TokenAnswer> {
  const form = { ...grant, client_id: client.id, client_secret: client.secret }
  const answer = await send(`${platformUrl}/account/token`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
    timeoutMs,
  })
  if (answer.status >= 500 || answer.status === 429) throw new Error('The platform cannot answer at the moment')
  if (!isOk(answer)) throw new Refusal(answer.status, 'access_denied', 'The platform ended this sign-in')
  return JSON.parse(answer.text) as TokenAnswer
}
