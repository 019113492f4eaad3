import type { SsoType } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { SsoDomains } from './domains.service.ts'
import type { SsoCookie } from './requests.service.ts'
import type { Arrival, SsoSignIns } from './sign-in.service.ts'
import { SsoRefusal } from './sso.refusal.ts'
import type { Sso } from './sso.service.ts'

/**
 * Begins a sign-in: the address of the provider, with a request of ours. `browser` is the cookie it belongs to.
 * @throws SsoRefusal when the provider has to be asked first and does not answer.
 */
export type Begin = (row: Arrival['provider'], browser: string, returnTo: string | undefined) => Promise<string>

/** Sends browsers to the provider of an address, or to one that a person chose, by the protocol it speaks. */
export function beginHandlers({
  sso,
  ssoDomains,
  ssoCookie,
  ssoSignIns,
  begins,
}: {
  sso: Pick<Sso, 'read'>
  ssoDomains: SsoDomains
  ssoCookie: SsoCookie
  ssoSignIns: Pick<SsoSignIns, 'refuse'>
  /** By the type of the provider; LDAP has no page to go to. */
  begins: Partial<Record<SsoType, Begin>>
}): Handlers<'sso.login'> {
  return {
    async 'sso.login'({ actor, request, reply }, { query }) {
      const chosen = query.provider === undefined ? undefined : (await sso.read(query.provider))?.row
      const row = query.provider === undefined ? await ssoDomains.providerFor(query.u ?? '') : chosen
      const begin = row?.active ? begins[row.type] : undefined
      if (!row || !begin) return void (await reply.redirect('/?sso=provider_inactive', 303))
      const begun = begin(row, ssoCookie.keep(request, reply), query.r)
      const address = await begun.catch(async (error: unknown) => {
        if (!(error instanceof SsoRefusal)) throw error
        await ssoSignIns.refuse({ provider: row }, error, actor.address)
        return `/?sso=${error.reason}`
      })
      await reply.header('cache-control', 'no-store').redirect(address, 303)
    },
  }
}
