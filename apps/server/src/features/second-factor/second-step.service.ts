import type { SecondStep } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Database } from '../../platform/db/database.ts'
import { Failure } from '../../platform/http/failure.ts'
import { type Accounts, actorFor, type Browsers, type Caller, type Opened } from '../account/index.ts'
import { type Audit, userScope } from '../audit/index.ts'
import type { Mail } from '../mail/index.ts'
import type { Answer, Answers } from './answers.service.ts'
import type { Passkeys } from './passkeys.service.ts'
import { letters } from './second-factor.mails.ts'
import { countRecoveryCodes, listFactors } from './second-factor.store.ts'
import type { Steps } from './steps.service.ts'

export interface SecondStepDependencies {
  database: Database
  audit: Audit
  mail: Mail
  steps: Steps
  answers: Answers
  passkeys: Passkeys
  /** Opens the session, or records the refusal, as every sign-in does. */
  accounts: Pick<Accounts, 'open' | 'refuse'>
  browsers: Browsers
}

export type SecondSteps = ReturnType<typeof createSecondStep>

/** The second step of signing in: a factor after the password. */
export function createSecondStep(deps: SecondStepDependencies) {
  const { database, accounts, audit, mail, steps, answers, passkeys } = deps

  return {
    /** Returns the accepted answers of the step, and the challenge for a passkey. */
    async describe(token: string | undefined): Promise<SecondStep> {
      const { id } = await steps.userOf(token)
      const hasApp = (await listFactors(database.read, id)).some(({ kind }) => kind === 'app')
      const codes = await countRecoveryCodes(database.read, id)
      const passkey = await passkeys.request(id, 'sign-in')
      return {
        methods: [
          ...(passkey ? (['passkey'] as const) : []),
          ...(hasApp ? (['app'] as const) : []),
          ...(codes > 0 ? (['recovery'] as const) : []),
        ],
        ...(passkey ? { passkey: { ...passkey } } : {}),
      }
    },

    /** Opens the session of whoever answers rightly, in the place of `former`; its token. */
    async answer(token: string | undefined, answer: Answer, caller: Caller, former: Actor): Promise<Opened> {
      const user = await steps.userOf(token)
      const known = await deps.browsers.find(user.id, caller.browser)
      const by = known ? { own: `browser:${known.id}` } : { account: user.id, address: caller.address }
      const asked = { userId: user.id, by, purpose: 'sign-in' as const }
      try {
        return await answers.accept(asked, answer, async (tx, method) => {
          await steps.end(tx, token!)
          if (method === 'recovery') {
            const info = { left: await countRecoveryCodes(tx, user.id) }
            await mail.send(tx, letters.recoveryCodeUsed(user, info.left))
            const auditScope = userScope(user.id)
            await audit.record(
              tx,
              actorFor(user, caller.address),
              'user.second-factor.recovery-code-used',
              auditScope,
              {
                info,
              },
            )
          }
          return accounts.open(tx, user, caller, former, user.by_provider ? {} : undefined)
        })
      } catch (error) {
        // Somebody knows the password and not the factor: whoever reads the log should see it.
        if (error instanceof Failure && error.code === 'invalid_code')
          await accounts.refuse(user, caller.address, error)
        throw error
      }
    },
  }
}
