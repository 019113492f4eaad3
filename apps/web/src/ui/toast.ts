import { createCell } from '../lib/cell.ts'

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

const entries = createCell<readonly ToastEntry[]>([])
let nextId = 1

function show(kind: ToastKind, message: string, options: ToastOptions = {}): void {
  const entry = {
    id: nextId++,
    kind,
    message,
    detail: options.detail,
    countdown: options.countdown ?? defaultCountdown,
  }
  entries.set([...entries.current().slice(1 - most), entry])
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
  current: entries.current,
  subscribe: entries.subscribe,
  dismiss: (id: number) => entries.set(entries.current().filter((entry) => entry.id !== id)),
}
