import { useBlocker } from '@tanstack/react-router'
import { confirm } from '../ui/confirm.ts'

/**
 * Asks before leaving a page whose changes are not saved, whether by link, by Back or by closing the window. Pages
 * whose address begins with `within` share the changes.
 */
export function useUnsavedGuard(dirty: boolean, within?: string): void {
  useBlocker({
    disabled: !dirty,
    enableBeforeUnload: dirty,
    shouldBlockFn: async ({ next }) => {
      if (within !== undefined && next.pathname.startsWith(`${within}/`)) return false
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
