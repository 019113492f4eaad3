import { ApiError, reasonOf, sentenceOf } from '../../../lib/api.ts'
import type { Passwords, Refused } from '../../../shell/PasswordForm.tsx'
import { useChangePassword } from '../profile.queries.ts'
import { passwordFailure } from '../refusals.ts'

/** Changes the own password; answers with sentences for the form when the server refuses. */
export function useNewPassword(): (passwords: Passwords) => Promise<Refused | undefined> {
  const { mutateAsync: change } = useChangePassword()
  return async ({ current, password }) => {
    try {
      await change({ old_password: current, password })
      return undefined
    } catch (error) {
      if (!(error instanceof ApiError)) return { root: reasonOf(error) }
      return passwordFailure({ code: error.code, fields: error.fields, sentence: sentenceOf(error) })
    }
  }
}
