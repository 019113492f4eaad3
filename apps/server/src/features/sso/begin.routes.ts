import type { SsoReason, SsoType } from '@app/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Handlers } from '../../platform/http/context.ts'
import { createPace } from '../../platform/http/pace.ts'
import { addressGroup } from '../../platform/proxy/index.ts'
import type { SsoDomains } from './domains.service.ts'
import type { SsoCookie } from './requests.service.ts'
import type { Arrival, SsoSignIns } from './sign-in.service.ts'
import { loginPageFor, SsoRefusal } from './sso.refusal.ts'
import type { Sso } from './sso.service.ts'

/**
 * Begins a sign-in: the address of the provider, with a request of ours. `browser` is the cookie it belongs to.
 * @throws SsoRefusal when the provider has to be asked first and does not answer.
 */
export type Begin = (row: Arrival['provider'], browser: string, returnTo: string | undefined) => Promise<string>

/** Sign-ins that an address may begin in a minute: whole companies come from one address in the morning. */
const mostPerMinute = 300

/** Sends browsers to the provider of an address, or to one that a person chose, by the protocol it speaks. */
export function beginHandlers({
  clock,
  sso,
  ssoDomains,
  ssoCookie,
  ssoSignIns,
  begins,
}: {
  clock: Clock
  sso: Pick<Sso, 'read'>
  ssoDomains: SsoDomains
  ssoCookie: SsoCookie
  ssoSignIns: Pick<SsoSignIns, 'refuse'>
  /** By the type of the provider; LDAP has no page to go to. */
  begins: Partial<Record<SsoType, Begin>>
}): Handlers<'sso.login'> {
  // Each one is kept until it is answered, and a provider that is away is asked each time.
  const pace = createPace(() => clock.now(), mostPerMinute, 60_000)
  return {
    async 'sso.login'({ actor, request, reply }, { query }) {
      const refuse = async (reason: SsoReason) => void (await reply.redirect(loginPageFor(reason), 303))
      if (pace.take(addressGroup(actor.address)).wait > 0) return refuse('too_many_requests')
      const chosen = query.provider === undefined ? undefined : (await sso.read(query.provider))?.row
      const row = query.provider === undefined ? await ssoDomains.providerFor(query.u ?? '') : chosen
      const begin = row?.active ? begins[row.type] : undefined
      if (!row || !begin) return refuse('provider_inactive')
      const begun = begin(row, ssoCookie.keep(request, reply), query.r)
      const address = await begun.catch(async (error: unknown) => {
        if (!(error instanceof SsoRefusal)) throw error
        await ssoSignIns.refuse({ provider: row }, error, actor.address)
        return loginPageFor(error.reason)
      })
      await reply.header('cache-control', 'no-store').redirect(address, 303)
    },
  }
}
