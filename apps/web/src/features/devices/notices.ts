import { toastDurations } from '@app/contract/constants'
import { toast } from '../../ui/toast.ts'

/**
 * Tells why a device could not be created, changed or deleted [DEV-17] [DEV-19]. The library uses the same words
 * [LIB-09].
 */
export function warnOfDevice(deed: 'create' | 'update' | 'delete', reason: string): void {
  toast.warning(`Failed to ${deed} device: ${reason}`, { countdown: toastDurations.deviceFailure })
}

/** Notices after the variables of a device were saved, or were not [CONST-08]. */
export const variableNotices = {
  saved: () =>
    toast.success('Device settings successfully updated.', {
      detail: 'The device restarts with them at the next check-in of its agent.',
      countdown: toastDurations.settings,
    }),
  notSaved: (reason: string) =>
    toast.warning('Device settings were not saved.', { detail: reason, countdown: toastDurations.settings }),
}
