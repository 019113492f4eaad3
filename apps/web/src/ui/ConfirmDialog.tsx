import { AlertDialog } from 'radix-ui'
import { useRef, useState, useSyncExternalStore } from 'react'
import { Button } from './Button.tsx'
import { Checkbox } from './Checkbox.tsx'
import { confirmation, type OpenQuestion } from './confirm.ts'
import { DialogFooter, dialogStyle, overlayStyle } from './Dialog.tsx'
import { FormRow } from './FormRow.tsx'
import { Input } from './Input.tsx'
import { useOpener } from './use-opener.ts'

/** Mount once. Shows what `confirm()` asks. */
export function ConfirmHost() {
  const question = useSyncExternalStore(confirmation.subscribe, confirmation.current)
  return question ? <ConfirmDialog key={question.title} {...question} /> : null
}

/** A question with consequences. Focus starts on the harmless side, or on the text to type. */
export function ConfirmDialog(question: OpenQuestion) {
  const [text, setText] = useState('')
  const [checked, setChecked] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const returnFocus = useOpener(true)
  const blocked = question.disabled === true || (question.typed !== undefined && text !== question.typed)
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && question.answer(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={overlayStyle}>
          <AlertDialog.Content
            className={dialogStyle}
            onCloseAutoFocus={returnFocus}
            onOpenAutoFocus={(event) => {
              if (!input.current) return
              event.preventDefault()
              input.current.focus()
            }}
          >
            <form
              onSubmit={(event) => {
                event.preventDefault()
                // A portal's events bubble through React's tree: a form around the caller must not hear this one.
                event.stopPropagation()
                if (!blocked) question.answer(true)
              }}
            >
              <div className="flex flex-col gap-3.5 px-5 py-4.5">
                <AlertDialog.Title className="text-lg break-words">{question.title}</AlertDialog.Title>
                <AlertDialog.Description asChild>
                  <div className="break-words text-muted [&_b]:font-semibold [&_b]:text-ink">{question.message}</div>
                </AlertDialog.Description>
                {question.option && (
                  <Checkbox
                    label={question.option.label}
                    help={question.option.help}
                    checked={checked}
                    onChange={(next) => {
                      setChecked(next)
                      question.option?.onChange(next)
                    }}
                  />
                )}
                {question.typed !== undefined && (
                  <FormRow
                    label={
                      <>
                        Type <span className="mono font-semibold wrap-anywhere">{question.typed}</span> to confirm
                      </>
                    }
                  >
                    <Input
                      ref={input}
                      value={text}
                      onChange={(event) => setText(event.target.value)}
                      autoComplete="off"
                    />
                  </FormRow>
                )}
              </div>
              <DialogFooter>
                <AlertDialog.Cancel asChild>
                  <Button>{question.cancelLabel ?? 'Cancel'}</Button>
                </AlertDialog.Cancel>
                <Button type="submit" variant={question.danger ? 'danger' : 'primary'} disabled={blocked}>
                  {question.confirmLabel}
                </Button>
              </DialogFooter>
            </form>
          </AlertDialog.Content>
        </AlertDialog.Overlay>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
