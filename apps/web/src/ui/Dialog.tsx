import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from '../lib/cn.ts'
import { useOpener } from './use-opener.ts'

const field = 'input:not([type=radio]), textarea, [role=combobox]'
const chosen = '[role=radio][aria-checked=true]'

export const overlayStyle =
  'fixed inset-0 z-40 grid animate-fade place-items-center overflow-y-auto scroll-pb-20 bg-scrim p-4'
export const dialogStyle =
  'w-full max-w-130 min-w-0 animate-pop overflow-clip rounded-xl border bg-raised text-ink shadow-raised outline-none'

/**
 * A window over the page, ready to be typed into. Escape and the scrim close it unless it is `busy`; focus goes back
 * where it came from.
 */
export function Dialog({
  open,
  onClose,
  title,
  description,
  footer,
  wide,
  busy = false,
  children,
}: {
  open: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  /** The buttons, the main one last. For a form inside, give the submit button `form={formId}`. */
  footer?: ReactNode
  wide?: boolean
  /** It waits for something that is shown this once, such as a token: it stays open. Disable its Cancel button too. */
  busy?: boolean
  children?: ReactNode
}) {
  const returnFocus = useOpener(open)
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && !busy && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlayStyle}>
          <Radix.Content
            onOpenAutoFocus={focusField}
            onCloseAutoFocus={returnFocus}
            className={cn(dialogStyle, wide && 'max-w-190')}
            {...(description ? {} : { 'aria-describedby': undefined })}
          >
            <div className="flex flex-col gap-3.5 px-5 py-4.5">
              <div className="flex items-start gap-3">
                <Radix.Title className="min-w-0 flex-1 text-lg break-words">{title}</Radix.Title>
                <Radix.Close
                  aria-label="Close"
                  disabled={busy}
                  className="-mt-0.5 -mr-1.5 grid size-7 flex-none place-items-center rounded-md text-muted hover:bg-hover hover:text-ink disabled:opacity-45 disabled:hover:bg-transparent"
                >
                  <X size={16} aria-hidden />
                </Radix.Close>
              </div>
              {description && (
                <Radix.Description asChild>
                  <div className="break-words text-muted">{description}</div>
                </Radix.Description>
              )}
              {children}
            </div>
            {footer && <DialogFooter>{footer}</DialogFooter>}
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** A person who opens a form means to fill it in; Radix would begin with the button that closes it. */
function focusField(event: Event): void {
  const inside = event.currentTarget as HTMLElement
  const fields = inside.querySelectorAll<HTMLInputElement>(field)
  const typed = [...fields].find((each) => !each.disabled && each.tabIndex >= 0)
  const first = typed ?? inside.querySelector<HTMLElement>(chosen)
  if (!first) return
  event.preventDefault()
  first.focus()
}

/** The buttons stay in sight while a long dialog is scrolled. */
export function DialogFooter({ children }: { children: ReactNode }) {
  return <div className="sticky -bottom-4 flex flex-wrap justify-end gap-2 border-t bg-page px-5 py-3">{children}</div>
}
