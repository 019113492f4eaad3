export type ToastKind = 'success' | 'info' | 'warning' | 'error'
export type ToastOptions = {
  /** A second, quieter line. */
  detail?: string
  /** Milliseconds until it closes by itself. */
  countdown?: number
}
export type ToastEntry = { id: number; kind: ToastKind; message: string; detail: string | undefined; countdown: number }

const defaultCountdown = 3000
/** More than this at once is noise; the oldest goes. */
const most = 5

let entries: readonly ToastEntry[] = []
let nextId = 1
const listeners = new Set<() => void>()

function change(next: readonly ToastEntry[]): void {
  entries = next
  for (const listener of listeners) listener()
}

function show(kind: ToastKind, message: string, options: ToastOptions = {}): void {
  const entry = {
    id: nextId++,
    kind,
    message,
    detail: options.detail,
    countdown: options.countdown ?? defaultCountdown,
  }
  change([...entries.slice(1 - most), entry])
}

/** Says something in the corner, from anywhere; ToastHost shows it. */
export const toast = {
  success: (message: string, options?: ToastOptions) => show('success', message, options),
  info: (message: string, options?: ToastOptions) => show('info', message, options),
  warning: (message: string, options?: ToastOptions) => show('warning', message, options),
  error: (message: string, options?: ToastOptions) => show('error', message, options),
}

/** The queue behind the host: what to show now, how to hear of changes, and how to take one away. */
export const toasts = {
  current: () => entries,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
  dismiss: (id: number) => change(entries.filter((entry) => entry.id !== id)),
}
