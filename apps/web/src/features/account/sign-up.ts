import type { JoinReason, SignUpForm } from './fields.ts'
import type { SignUpBody } from './sign-up.queries.ts'

/** Returns the body of a sign-up: the fields that were asked for, nothing else [SIGNUP-18, SIGNUP-19, SIGNUP-20]. */
export function payloadOf(
  form: SignUpForm,
  { reason, terms, code }: { reason: boolean; terms: boolean; code: string },
): SignUpBody {
  const { username, email, password } = form
  return {
    username,
    name: form.name.trim() || username,
    email,
    password,
    ...(reason ? { join_reason: form.reason as JoinReason } : {}),
    ...(terms ? { tcs_accepted: form.terms } : {}),
    ...(code ? { code } : {}),
  }
}
