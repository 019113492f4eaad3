import { toastDurations } from '@app/contract/constants'
import { toast } from '../../ui/toast.ts'

/** What could not be done with a device, and why [DEV-17] [DEV-19]. The library says it in the same words [LIB-09]. */
export function warnOfDevice(deed: 'create' | 'update' | 'delete', reason: string): void {
  toast.warning(`Failed to ${deed} device: ${reason}`, { countdown: toastDurations.deviceFailure })
}

/** What is said after the variables of a device were saved, or were not [CONST-08]. */
export const variableNotices = {
  saved: () =>
    toast.success('Device settings successfully updated.', {
      detail: 'The device restarts with them when its agent calls next.',
      countdown: toastDurations.settings,
    }),
  notSaved: (reason: string) =>
    toast.warning('Device settings were not saved.', { detail: reason, countdown: toastDurations.settings }),
}
