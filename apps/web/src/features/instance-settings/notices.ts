import { toastDurations } from '@app/contract/constants'
import { toast } from '../../ui/toast.ts'

/** Messages after saving settings or variables of an instance [ISET-10, CONST-06, CONST-08]. */
export const notices = {
  saved: () =>
    toast.success(
      'Instance settings successfully updated. NOTE: changes will be applied once the instance is restarted.',
      { countdown: toastDurations.settings },
    ),
  notSaved: (reason: string | undefined) =>
    toast.warning('Instance settings were not saved.', {
      countdown: toastDurations.settings,
      ...(reason === undefined ? {} : { detail: reason }),
    }),
  noInstance: () =>
    toast.warning('No instance is selected. Try refreshing your browser and try again', {
      countdown: toastDurations.noInstance,
    }),
}
