import { type ReactNode, useId, useState } from 'react'
import type { FieldValues } from 'react-hook-form'
import { ApiError } from '../../../lib/api.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, FormError, type FormOf, setFieldErrors } from '../../../ui/Form.tsx'

/** Makes a token by the fields of a form, and shows it, this once. A refusal stands beside its fields. */
export function TokenDialog<V extends FieldValues>(props: {
  title: string
  form: FormOf<V>
  create: (values: V) => Promise<{ name: string; token: string }>
  /** Name of the token for people who hear the page. */
  what: string
  /** Says what anyone with the token can do. */
  warning: string
  /** Says where the token goes. */
  use: ReactNode
  onClose: () => void
  children: ReactNode
}) {
  const { title, form, create, what, warning, use, onClose, children } = props
  const id = useId()
  const [made, setMade] = useState<{ name: string; token: string }>()
  const { isSubmitting } = form.formState
  async function submit(values: V) {
    try {
      setMade(await create(values))
    } catch (error) {
      if (error instanceof ApiError) setFieldErrors(form, faultsOf(error))
    }
  }

  // One window for both, so that the focus goes back to where it came from.
  return (
    <Dialog
      open
      onClose={onClose}
      busy={isSubmitting}
      title={made ? `Token “${made.name}”` : title}
      footer={
        made ? (
          <Button variant="primary" onClick={onClose}>
            I have saved it
          </Button>
        ) : (
          <>
            <Button disabled={isSubmitting} onClick={onClose}>
              Cancel
            </Button>
            <Button variant="primary" type="submit" form={id} loading={isSubmitting}>
              Create Token
            </Button>
          </>
        )
      }
    >
      {made ? (
        <>
          <Banner kind="warning">Shown once. {warning}</Banner>
          <div className="flex items-center gap-2 rounded-lg border bg-page px-3.5 py-2.5">
            <code aria-label={what} className="mono min-w-0 flex-1 break-all">
              {made.token}
            </code>
            <CopyButton text={made.token} what={what} />
          </div>
          <p className="text-muted">{use}</p>
        </>
      ) : (
        <Form id={id} form={form} onSubmit={submit}>
          <FormError form={form} />
          {children}
        </Form>
      )}
    </Dialog>
  )
}

/** The form has `expiry`, a number of days, where the call has the moment `expiresAt`. */
function faultsOf({ fields: { expiresAt, ...fields }, message }: ApiError): Record<string, string> {
  const faults = { ...fields, ...(expiresAt !== undefined && { expiry: expiresAt }) }
  return Object.keys(faults).length > 0 ? faults : { root: message }
}
