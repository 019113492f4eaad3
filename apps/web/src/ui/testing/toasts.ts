import { beforeEach } from 'vitest'
import { toasts } from '../toast.ts'

/** Takes all notices away before each test of a file, since other files of the same worker share them. */
export function clearToastsBeforeEach(): void {
  beforeEach(() => toasts.current().forEach(({ id }) => toasts.dismiss(id)))
}
