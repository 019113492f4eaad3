import { toastDurations } from '@app/contract/constants'
import { ApiError, hasStatus } from '../../lib/api.ts'
import type { FormOf } from '../../ui/Form.tsx'
import { toast } from '../../ui/toast.ts'
import type { InstanceValues } from '../instances/index.ts'

/** A refused instance: a conflict belongs to the name, the rest is said aloud [INST-60, INST-61, INST-62]. */
export function explainInstance(error: unknown, form: FormOf<InstanceValues>): void {
  if (!(error instanceof ApiError)) return
  if (hasStatus(error, 409)) return form.setError('name', { message: error.message }, { shouldFocus: true })
  // 402: the team has to pay first.
  const isTold = hasStatus(error, 400) || hasStatus(error, 402)
  const text = isTold ? `Failed to create instance: ${error.message}` : 'Failed to create instance'
  toast.warning(text, { countdown: toastDurations.createFailure })
}

/** An application that stays, with the reason if there is one [CONST-08]. */
export function explainKept(reason: string | undefined): void {
  const text = reason ? `Application failed to delete: ${reason}` : 'Application failed to delete'
  toast.warning(text, { countdown: toastDurations.applicationKept })
}

/** A refused copy [INST-57]. */
export function explainCopy(error: unknown, form: FormOf<InstanceValues>): void {
  if (!(error instanceof ApiError)) return
  if (hasStatus(error, 409)) return form.setError('name', { message: error.message }, { shouldFocus: true })
  toast.warning('Instance failed to duplicate.', { detail: error.message, countdown: toastDurations.createFailure })
}

/** A refused application [APP-22]. */
export function explainApplication(error: unknown): void {
  if (!(error instanceof ApiError)) return
  toast.warning(`Failed to create application: ${error.message}`, { countdown: toastDurations.createFailure })
}
