import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { useOpener } from '../ui/use-opener.ts'

/** The side navigation on small screens: slides in from the left over the page. */
export function NavDrawer({ open, onClose, children }: { open: boolean; onClose: () => void; children: ReactNode }) {
  const returnFocus = useOpener(open)
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-scrim lg:hidden" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className="fixed inset-y-0 left-0 z-40 flex w-[min(275px,85vw)] animate-drawer flex-col overflow-y-auto border-r bg-panel outline-none lg:hidden"
        >
          <div className="flex h-15 flex-none items-center justify-between border-b pr-3 pl-5.5">
            <Dialog.Title className="text-base">Navigation</Dialog.Title>
            <Dialog.Close
              aria-label="Close navigation"
              className="grid size-8 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
            >
              <X size={18} aria-hidden />
            </Dialog.Close>
          </div>
          <nav aria-label="Main" className="flex-1">
            {children}
          </nav>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
