import { toastDurations } from '@app/contract/constants'
import { toast } from '../../ui/toast.ts'

/** A refusal: its code, its sentence if any, and the errors by field. */
export interface Refusal {
  code: string
  sentence: string | undefined
  fields: Record<string, string>
}

type FieldErrors = Record<string, string>

/** Where a refused sign-up shows its reason, and in which words [SIGNUP-21] [SIGNUP-23] [SIGNUP-24] [SIGNUP-25]; `root` is the whole form. */
export function signUpFailure({ code, sentence = '', fields }: Refusal): FieldErrors {
  if (code === 'invalid_sso_email') return { email: sentence }
  if (code === 'too_many_requests') return { root: sentence }
  if (/username/i.test(sentence)) return { username: 'Username unavailable' }
  // Why it is refused (too common, too short) is worth knowing.
  if (/password/i.test(sentence)) return { password: 'Invalid password', root: sentence }
  if (/email/i.test(sentence)) return { email: 'Email unavailable' }
  return elsewhere(sentence, fields)
}

/** The same for the own profile; undefined when the answer said nothing at all. */
export function profileFailure({ code, sentence, fields }: Refusal): FieldErrors | undefined {
  if (sentence === undefined) return undefined
  if (/email must be unique|already in use/i.test(sentence)) return { email: 'Email already registered' }
  if (code === 'invalid_email') return { email: 'Invalid email' }
  if (/username/i.test(sentence)) return { username: 'Username unavailable' }
  return elsewhere(sentence, fields)
}

/** The same for a new password, whichever form asks for it. */
export function passwordFailure({ code, sentence = '', fields }: Refusal): FieldErrors {
  if (code !== 'password_change_failed') return elsewhere(sentence, fields)
  const known = 'Password change failed'
  return { root: sentence === '' || sentence === known ? known : `${known}. ${sentence}` }
}

function elsewhere(sentence: string, fields: FieldErrors): FieldErrors {
  return Object.keys(fields).length > 0 ? fields : { root: sentence || 'Something went wrong on the server' }
}

/** Warns that a mailed link did not work, with the reason of the server if any [ACCT-40] [ACCT-42] [ACCT-43]. */
export function warnOfLink(deed: 'verify email' | 'confirm new email', sentence: string | undefined): void {
  toast.warning(`Unable to ${deed}. ${sentence ?? 'Check logs for details.'}`, {
    countdown: toastDurations.verificationFailure,
  })
}
