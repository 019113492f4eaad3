import type { User } from '@app/contract'
import { toastDurations } from '@app/contract/constants'
import type { Profile } from './fields.ts'

/** The fields of the form that differ from the record: all that is sent [ACCT-10]. */
export function changesOf(user: Profile, form: Profile): Partial<Profile> {
  const changed = (['username', 'name', 'email'] as const).filter((field) => form[field] !== user[field])
  return Object.fromEntries(changed.map((field) => [field, form[field]]))
}

type Notice = { kind: 'success' | 'info'; message: string; countdown: number }

/** Returns the message after saving: an address does not change before it is confirmed [ACCT-11, ACCT-20]. */
export function savedToasts(patch: Partial<Profile>, saved: Pick<User, 'pendingEmailChange'>): Notice[] {
  const notices: Notice[] = []
  const mailed = patch.email !== undefined && saved.pendingEmailChange === true
  if (!mailed || patch.username !== undefined || patch.name !== undefined) {
    notices.push({ kind: 'success', message: 'User successfully updated.', countdown: toastDurations.normal })
  }
  if (mailed) {
    notices.push({
      kind: 'info',
      message: 'Check your inbox for a link to verify your new Email Address.',
      countdown: toastDurations.checkInbox,
    })
  }
  return notices
}
