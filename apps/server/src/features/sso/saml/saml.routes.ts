import type { Actor } from '../../../platform/authz/actor.ts'
import type { Handlers } from '../../../platform/http/context.ts'
import { fail } from '../../../platform/http/failure.ts'
import type { SsoCookie } from '../requests.service.ts'
import { answerBrowser, type SignInCookies } from '../sso.routes.ts'
import type { Sso } from '../sso.service.ts'
import { fetchText } from './saml.fetch.ts'
import { readMetadata } from './saml.metadata.ts'
import type { Saml } from './saml.service.ts'

/** The calls that only SAML has. */
export function samlHandlers(
  { saml, sso, ssoCookie }: { saml: Saml; sso: Sso; ssoCookie: SsoCookie },
  cookies: SignInCookies,
): Handlers<'sso.callback' | 'sso.entity' | 'sso.metadata'> {
  return {
    async 'sso.callback'(context, { body }) {
      const { request, reply, actor } = context
      const caller = cookies.browser.callerOf(context)
      const outcome = await saml.finish(body, ssoCookie.of(request), caller, actor satisfies Actor)
      await answerBrowser(reply, cookies, outcome)
    },
    async 'sso.entity'({ reply }, { params }) {
      const xml = await saml.metadata(params.providerId)
      await reply.type('application/samlmetadata+xml; charset=utf-8').send(xml)
    },
    async 'sso.metadata'(_context, { params, body }) {
      const { type } = await sso.get(params.providerId)
      if (type !== 'saml') throw fail('invalid_request', 'Only SAML has metadata')
      if ((body.xml === undefined) === (body.url === undefined))
        throw fail('invalid_request', 'Send the metadata or its address')
      const xml = body.xml ?? (await fetchText(body.url!, body.allowPrivate ?? false))
      return { options: await readMetadata(xml) }
    },
  }
}
