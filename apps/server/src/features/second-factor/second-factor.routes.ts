import { okay, type RouteIdOf } from '@app/contract'
import { consoleCookie } from '../../platform/http/console-cookie.ts'
import type { Handlers } from '../../platform/http/context.ts'
import type { BrowserCookie, SessionCookie } from '../account/index.ts'
import type { SecondFactor } from './second-factor.service.ts'
import type { SecondSteps } from './second-step.service.ts'
import { stepMs } from './steps.service.ts'

/** The cookie of a sign-in that waits for its second step. It opens nothing by itself. */
export const stepCookie = (secure: boolean) => consoleCookie('step', { secure, life: stepMs, strict: true })
export type StepCookie = ReturnType<typeof stepCookie>

export function secondFactorHandlers(
  factors: SecondFactor,
  step: SecondSteps,
  cookies: { session: SessionCookie; browser: BrowserCookie; step: StepCookie },
): Handlers<RouteIdOf<'secondFactor'>> {
  return {
    'secondFactor.step': async ({ request }) => step.describe(request.cookies[cookies.step.name]),
    async 'secondFactor.signIn'(context, { body }) {
      const { actor, request, reply } = context
      const caller = cookies.browser.callerOf(context)
      const { token, browser } = await step.answer(request.cookies[cookies.step.name], body, caller, actor)
      cookies.step.clear(reply)
      cookies.session.set(reply, token)
      cookies.browser.set(reply, browser)
      await reply.code(200).send()
    },
    'secondFactor.get': async ({ actor }) => factors.list(actor),
    'secondFactor.challenge': async ({ actor }) => factors.challenge(actor),
    async 'secondFactor.prove'({ actor }, { body }) {
      await factors.prove(actor, body.proof)
      return okay
    },
    'secondFactor.startApp': async ({ actor }, { body }) => factors.startApp(actor, body.proof),
    'secondFactor.confirmApp': async ({ actor }, { body }) => factors.confirmApp(actor, body.code),
    'secondFactor.startPasskey': async ({ actor }, { body }) => factors.startPasskey(actor, body.proof),
    'secondFactor.addPasskey': async ({ actor }, { body }) => factors.addPasskey(actor, body.name, body.passkey),
    async 'secondFactor.remove'({ actor }, { params, body }) {
      await factors.remove(actor, params.factorId, body.proof)
      return okay
    },
    async 'secondFactor.reset'({ actor }, { params }) {
      await factors.reset(actor, params.userId)
      return okay
    },
    'secondFactor.recoveryCodes': async ({ actor }, { body }) => ({
      recoveryCodes: await factors.recoveryCodes(actor, body.proof),
    }),
  }
}
