import { toastDurations } from '@app/contract/constants'
import { createCell } from '../lib/cell.ts'

export type ToastKind = 'success' | 'info' | 'warning' | 'error'
export type ToastOptions = {
  /** A second, quieter line. */
  detail?: string
  /** Milliseconds until it closes by itself. */
  countdown?: number
}
export type ToastEntry = { id: number; kind: ToastKind; message: string; detail: string | undefined; countdown: number }

/** More than this at once is noise; the oldest goes. */
const most = 5

const entries = createCell<readonly ToastEntry[]>([])
let nextId = 1

function show(kind: ToastKind, message: string, options: ToastOptions = {}): void {
  const { detail, countdown = usualCountdown(message, detail) } = options
  const all = entries.current()
  const repeated = all.filter((one) => kind === 'warning' && one.kind === kind && repeats({ message, detail }, one))
  const more = repeated.find((one) => one.message !== message)?.detail
  const entry = {
    id: nextId++,
    kind,
    message,
    detail: more === undefined ? detail : inBoth(detail, more),
    countdown: Math.max(countdown, ...repeated.map((one) => one.countdown)),
  }
  entries.set([...all.filter((one) => !repeated.includes(one)).slice(1 - most), entry])
}

/** Default duration of a toast. A failure with the reason of the server is to be read [CONST-08]. */
const usualCountdown = (message: string, detail: string | undefined) =>
  message.startsWith('Failed to ') && (detail !== undefined || message.includes(': '))
    ? toastDurations.serverError
    : toastDurations.normal

/**
 * Does it say what another has said, and more? A fault of the server is told of at once for the whole console; who made
 * the call then says what failed by it.
 */
const repeats = ({ message, detail = '' }: Pick<ToastEntry, 'message' | 'detail'>, other: ToastEntry) =>
  message.includes(other.message) || detail.includes(other.message)

const inBoth = (detail: string | undefined, more: string) => (detail === undefined ? more : `${detail} (${more})`)

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
