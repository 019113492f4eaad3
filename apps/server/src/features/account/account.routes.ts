import { okay, type RouteIdOf } from '@app/contract'
import type { FastifyReply } from 'fastify'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Handlers } from '../../platform/http/context.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Accounts, SignIn } from './account.service.ts'
import type { OwnSessions } from './own-sessions.service.ts'
import type { Passwords } from './passwords.service.ts'
import type { Profiles } from './profile.service.ts'
import type { Registrations } from './registration.service.ts'
import type { BrowserCookie, SessionCookie } from './session-cookie.ts'
import type { Caller } from './sessions.service.ts'

export interface AccountServices {
  accounts: Accounts
  registrations: Registrations
  passwords: Passwords
  profiles: Profiles
  ownSessions: OwnSessions
  /** Whether a name or address signs in through a provider, and how; undefined: by its password. */
  ssoLogin: {
    judge(
      login: string,
      password: string | undefined,
      caller: Caller,
      former: Actor,
    ): Promise<SignIn | { link: string } | undefined>
  }
}

interface SetsCookie {
  set(reply: FastifyReply, token: string): void
}

export function accountHandlers(
  { accounts, registrations, passwords, profiles, ownSessions, ssoLogin }: AccountServices,
  cookies: { session: SessionCookie; browser: BrowserCookie; step: SetsCookie; link: SetsCookie },
): Handlers<Exclude<RouteIdOf<'account'>, 'account.accessRequest'>> {
  const { callerOf } = cookies.browser
  return {
    async 'account.login'(context, { body }) {
      const { actor, reply } = context
      const { username, password } = body
      const caller = callerOf(context)
      const through = await ssoLogin.judge(username, password, caller, actor)
      if (through && 'link' in through) {
        cookies.link.set(reply, through.link)
        throw Object.assign(fail('sso_required'), { redirect: '/account/sso/link' })
      }
      const signIn = through ?? (await accounts.signIn(username, password, caller, actor))
      if ('step' in signIn) {
        cookies.step.set(reply, signIn.step)
        throw fail('mfa_required')
      }
      cookies.session.set(reply, signIn.token)
      cookies.browser.set(reply, signIn.browser)
      await reply.code(200).send()
    },
    async 'account.logout'({ actor, reply }) {
      await accounts.signOut(actor)
      cookies.session.clear(reply)
      return okay
    },
    'account.register': async (context, { body }) => registrations.register(body, callerOf(context)),
    async 'account.verify'({ actor }) {
      await registrations.resend(actor)
      return okay
    },
    async 'account.verifyToken'({ actor }, { params, body }) {
      await registrations.verify(params.token, actor, body.password)
      return okay
    },
    async 'account.forgotPassword'({ actor }, { body }) {
      await passwords.forget(body.email, actor.address)
      return {}
    },
    async 'account.resetPassword'(context, { params, body }) {
      const browser = await passwords.reset(params.token, body.password, callerOf(context))
      cookies.browser.set(context.reply, browser)
      return {}
    },
    async 'account.emailChange'({ actor }, { body }) {
      await profiles.changeEmail(actor, body.email)
      return { ...okay, pendingEmailChange: true as const }
    },
    async 'account.cancelEmailChange'({ actor }) {
      await profiles.cancelEmail(actor)
      return okay
    },
    async 'account.confirmEmailChange'({ actor }, { params }) {
      await profiles.confirmEmail(actor, params.token)
      return okay
    },
    'account.get': async ({ actor }) => ({
      ...(await profiles.get(actor)),
      ...(actor.lacksSecondFactor ? { mfa_missing: true as const } : {}),
    }),
    'account.update': async ({ actor }, { body }) => profiles.update(actor, body),
    async 'account.changePassword'(context, { body }) {
      await passwords.change(context.actor, body.old_password, body.password, callerOf(context).browser)
      return okay
    },
    async 'account.delete'({ actor, reply }) {
      await profiles.delete(actor)
      cookies.session.clear(reply)
      return okay
    },
    async 'account.sessions'({ actor }) {
      const sessions = await ownSessions.list(actor)
      return { count: sessions.length, sessions }
    },
    async 'account.endSession'({ actor }, { params }) {
      await ownSessions.end(actor, params.sessionId)
      return okay
    },
    async 'account.endOtherSessions'({ actor }) {
      await ownSessions.endOthers(actor)
      return okay
    },
  }
}
