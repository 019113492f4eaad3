import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { whole } from '../../platform/keys/sealed.columns.ts'
import { type Answers, createAnswers, secretContext } from './answers.service.ts'
import { passkeyChecks } from './passkeys.health.ts'
import { createPasskeys, type Passkeys } from './passkeys.service.ts'
import { secondFactorHandlers, type StepCookie, stepCookie } from './second-factor.routes.ts'
import { createSecondFactor, type SecondFactor } from './second-factor.service.ts'
import { createSecondStep, type SecondSteps } from './second-step.service.ts'
import { createSteps, type Steps } from './steps.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    stepCookie: StepCookie
    steps: Steps
    passkeys: Passkeys
    answers: Answers
    secondFactor: SecondFactor
    secondStep: SecondSteps
  }
}

export const secondFactorFeature = defineFeature({
  name: 'second-factor',
  provides: {
    stepCookie: ({ secure }) => stepCookie(secure),
    steps: createSteps,
    passkeys: createPasskeys,
    answers: createAnswers,
    secondFactor: (services) =>
      createSecondFactor(
        also(services, { isRequired: async () => (await services.settings.all())['user:mfa-required'] }),
      ),
    secondStep: createSecondStep,
  },
  routes: (services) =>
    secondFactorHandlers(services.secondFactor, services.secondStep, {
      session: services.sessionCookie,
      browser: services.browserCookie,
      step: services.stepCookie,
    }),
  health: passkeyChecks,
  cookies: ({ stepCookie: step }) => [step.name],
  backup: { leaveOut: ['sign_in_steps', 'passkey_challenges'] },
  sealed: [
    {
      table: 'second_factors',
      key: ['id', 'user_id'],
      column: 'secret',
      find: whole(({ user_id = '' }) => secretContext(user_id)),
    },
  ],
})
