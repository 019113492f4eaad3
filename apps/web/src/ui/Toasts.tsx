import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react'
import { Toast } from 'radix-ui'
import { useSyncExternalStore } from 'react'
import { cn } from '../lib/cn.ts'
import { type ToastEntry, toasts } from './toast.ts'

const looks = {
  success: [CircleCheck, 'text-ok-text', 'Success'],
  info: [Info, 'text-busy-text', 'Notice'],
  warning: [TriangleAlert, 'text-warn-text', 'Warning'],
  error: [CircleAlert, 'text-bad-text', 'Error'],
} as const

/**
 * Mount once. Shows what `toast.*` says, newest below, read aloud; the countdown waits while hovered or focused. They
 * stand at the foot, because the actions of a page are at its head.
 */
export function ToastHost() {
  const entries = useSyncExternalStore(toasts.subscribe, toasts.current)
  return (
    <Toast.Provider label="Notification" swipeDirection="right">
      {entries.map((entry) => (
        <Item key={entry.id} entry={entry} />
      ))}
      <Toast.Viewport
        label="Notifications ({hotkey})"
        className="fixed right-6 bottom-6 z-50 flex w-90 max-w-[calc(100vw-24px)] flex-col gap-2 outline-none max-sm:right-3 max-sm:bottom-3 max-sm:w-[min(360px,calc(100vw-24px))]"
      />
    </Toast.Provider>
  )
}

function Item({ entry }: { entry: ToastEntry }) {
  const [Icon, ink, kind] = looks[entry.kind]
  return (
    <Toast.Root
      type={entry.kind === 'error' || entry.kind === 'warning' ? 'foreground' : 'background'}
      duration={entry.countdown}
      onOpenChange={(open) => !open && toasts.dismiss(entry.id)}
      className={cn(
        'grid min-w-[min(350px,calc(100vw-24px))] animate-toast grid-cols-[20px_1fr_24px] gap-2.5 rounded-lg border bg-raised px-3.5 py-3 shadow-raised',
        'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)',
      )}
    >
      <Icon size={16} aria-hidden className={cn('mt-0.5', ink)} />
      <div className="min-w-0 break-words">
        <Toast.Title className="font-semibold">
          <span className="sr-only">{kind}: </span>
          {entry.message}
        </Toast.Title>
        {entry.detail && <Toast.Description className="mt-0.5 text-md text-muted">{entry.detail}</Toast.Description>}
      </div>
      <Toast.Close
        aria-label="Close"
        className="grid size-6 place-items-center rounded-sm text-muted hover:bg-hover hover:text-ink"
      >
        <X size={16} aria-hidden />
      </Toast.Close>
    </Toast.Root>
  )
}
