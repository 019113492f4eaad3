import type { Handlers } from '../../../platform/http/context.ts'
import type { SsoCookie } from '../requests.service.ts'
import { answerBrowser, type SignInCookies } from '../sso.routes.ts'
import type { Oidc } from './oidc.service.ts'

export function oidcHandlers(
  { oidc, ssoCookie }: { oidc: Oidc; ssoCookie: SsoCookie },
  cookies: SignInCookies,
): Handlers<'ssoOidc.callback'> {
  return {
    async 'ssoOidc.callback'(context, { params }) {
      const { request, reply, actor } = context
      const at = request.url.indexOf('?')
      const search = at === -1 ? '' : request.url.slice(at)
      const caller = cookies.browser.callerOf(context)
      await answerBrowser(
        reply,
        cookies,
        await oidc.finish(params.providerId, search, ssoCookie.of(request), caller, actor),
      )
    },
  }
}
