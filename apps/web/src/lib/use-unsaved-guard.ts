import { useBlocker } from '@tanstack/react-router'
import { confirm } from '../ui/confirm.ts'

/** Asks before leaving a page whose changes are not saved, whether by link, by Back or by closing the window. */
export function useUnsavedGuard(dirty: boolean): void {
  useBlocker({
    disabled: !dirty,
    enableBeforeUnload: dirty,
    shouldBlockFn: async () => {
      const leave = await confirm({
        title: 'Unsaved changes',
        message: 'You have unsaved changes. Are you sure you want to leave?',
        confirmLabel: 'Yes, lose changes',
        danger: true,
      })
      return !leave
    },
  })
}
