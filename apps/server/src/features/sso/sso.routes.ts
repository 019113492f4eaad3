import { okay } from '@app/contract'
import { consoleCookie } from '../../platform/http/console-cookie.ts'
import type { Handlers } from '../../platform/http/context.ts'
import { fail } from '../../platform/http/failure.ts'
import type { FastifyReply } from 'fastify'
import type { BrowserCookie, SessionCookie, SignIn } from '../account/index.ts'
import type { StepCookie } from '../second-factor/index.ts'
import type { SsoLinking } from './linking.service.ts'
import type { SsoRemoval } from './rules/removal.service.ts'
import { linkMs, type SsoOutcome } from './sign-in.service.ts'
import { loginPageFor } from './sso.refusal.ts'
import type { Sso } from './sso.service.ts'

/** The cookie of a sign-in that waits for the password of an account. It opens nothing by itself. */
export const linkCookie = (secure: boolean) => consoleCookie('sso-link', { secure, life: linkMs, strict: true })
export type LinkCookie = ReturnType<typeof linkCookie>

export interface SignInCookies {
  session: SessionCookie
  browser: BrowserCookie
  step: StepCookie
  link: LinkCookie
}

/** Sets the cookies of a sign-in; true when the session is open. */
function setCookies(reply: FastifyReply, cookies: SignInCookies, signIn: SignIn): boolean {
  if ('step' in signIn) {
    cookies.step.set(reply, signIn.step)
    return false
  }
  cookies.session.set(reply, signIn.token)
  cookies.browser.set(reply, signIn.browser)
  return true
}

/** The page of the console that asks for the second factor, or for the password of the account. */
const pageFor = (what: 'step' | 'link', returnTo: string): string =>
  `/account/sso/${what}${returnTo === '/' ? '' : `?r=${encodeURIComponent(returnTo)}`}`

/** Answers the browser that comes back from a provider: with a session, a further question, or the login page. */
export async function answerBrowser(reply: FastifyReply, cookies: SignInCookies, outcome: SsoOutcome): Promise<void> {
  // A POST is answered with a GET (303), and no answer is kept by the browser.
  const go = (path: string) => reply.header('cache-control', 'no-store').redirect(path, 303)
  if ('refused' in outcome) return void (await go(loginPageFor(outcome.refused.reason)))
  if ('link' in outcome) {
    cookies.link.set(reply, outcome.link)
    return void (await go(pageFor('link', outcome.returnTo)))
  }
  const isOpen = setCookies(reply, cookies, outcome)
  await go(isOpen ? outcome.returnTo : pageFor('step', outcome.returnTo))
}

export function ssoHandlers(
  { sso, ssoLinking, ssoRemoval }: { sso: Sso; ssoLinking: SsoLinking; ssoRemoval: SsoRemoval },
  cookies: SignInCookies,
): Handlers<
  'sso.list' | 'sso.create' | 'sso.get' | 'sso.update' | 'sso.delete' | 'sso.signIns' | 'sso.linking' | 'sso.link'
> {
  return {
    'sso.list': async (_context, { query }) => sso.list(query),
    'sso.create': async ({ actor }, { body }) => sso.create(actor, body),
    'sso.get': async (_context, { params }) => sso.get(params.providerId),
    'sso.update': async ({ actor }, { params, body }) => sso.update(actor, params.providerId, body),
    async 'sso.delete'({ actor }, { params, query }) {
      await ssoRemoval.remove(actor, params.providerId, { endRoles: query.roles === 'end' })
      return okay
    },
    async 'sso.signIns'(_context, { params }) {
      const signIns = await sso.signIns(params.providerId)
      return { count: signIns.length, signIns }
    },
    'sso.linking': async ({ request }) => ssoLinking.describe(cookies.link.of(request)),
    async 'sso.link'(context, { body }) {
      const { actor, request, reply } = context
      const caller = cookies.browser.callerOf(context)
      const { signIn, returnTo } = await ssoLinking.answer(cookies.link.of(request), body.password, caller, actor)
      cookies.link.clear(reply)
      if (!setCookies(reply, cookies, signIn)) throw fail('mfa_required')
      return { redirect: returnTo }
    },
  }
}
