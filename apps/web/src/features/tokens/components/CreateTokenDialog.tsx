import type { Scope } from '@app/contract/scopes'
import { limits } from '@app/contract/constants'
import { useId, useState } from 'react'
import * as z from 'zod/mini'
import { ApiError } from '../../../lib/api.ts'
import { expiries, expiryAfter } from '../../../lib/token-expiry.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, Form, FormError, setFieldErrors, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { useCreateToken } from '../tokens.queries.ts'
import { ScopeChoice } from './ScopeChoice.tsx'

const NewToken = z.object({
  name: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Give it a name'),
      z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`),
    ),
  expiry: z.string(),
  scopes: z.array(z.string()).check(z.minLength(1, 'Choose at least one')),
})
type NewToken = z.output<typeof NewToken>

/** Makes a token and shows it, this once. */
export function CreateTokenDialog({ onClose }: { onClose: () => void }) {
  const id = useId()
  const [made, setMade] = useState<{ name: string; token: string }>()
  const { mutateAsync: create } = useCreateToken()
  const form = useZodForm(NewToken, { defaultValues: { name: '', expiry: '90', scopes: [] } })

  async function submit({ name, expiry, scopes }: NewToken) {
    try {
      setMade(await create({ name, scopes: scopes as Scope[], expiresAt: expiryAfter(expiry, Date.now()) }))
    } catch (error) {
      if (!(error instanceof ApiError)) return
      const { name: atName, scopes: atScopes } = error.fields
      const known = { ...(atName ? { name: atName } : {}), ...(atScopes ? { scopes: atScopes } : {}) }
      setFieldErrors(form, Object.keys(known).length > 0 ? known : { root: error.message })
    }
  }

  // One window for both, so that the focus goes back to where it came from.
  return (
    <Dialog
      open
      onClose={onClose}
      title={made ? `Token “${made.name}”` : 'Create an access token'}
      footer={
        made ? (
          <Button variant="primary" onClick={onClose}>
            I have saved it
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="primary" type="submit" form={id} loading={form.formState.isSubmitting}>
              Create Token
            </Button>
          </>
        )
      }
    >
      {made ? (
        <Made token={made.token} />
      ) : (
        <Form id={id} form={form} onSubmit={submit}>
          <FormError form={form} />
          <Field form={form} name="name" label="Name" help="The script, machine or service that will use it.">
            {(field) => (
              <Input
                {...field}
                autoComplete="off"
                placeholder="Nightly report"
                // oxlint-disable-next-line jsx-a11y/no-autofocus -- a window has the focus anyway, and would give it to Close
                autoFocus
              />
            )}
          </Field>
          <Field form={form} name="expiry" label="Expires">
            {(field) => <Select {...field} options={expiries} />}
          </Field>
          <Field
            form={form}
            name="scopes"
            label="It may"
            help="A token never allows more than your own role, and no administrator actions."
            group
          >
            {({ value, onChange }) => <ScopeChoice value={value} onChange={onChange} />}
          </Field>
        </Form>
      )}
    </Dialog>
  )
}

function Made({ token }: { token: string }) {
  return (
    <>
      <Banner kind="warning">Shown once. Anyone with this token can do what you allowed.</Banner>
      <div className="flex items-center gap-2 rounded-lg border bg-page px-3.5 py-2.5">
        <code aria-label="Access token" className="mono min-w-0 flex-1 break-all">
          {token}
        </code>
        <CopyButton text={token} what="access token" />
      </div>
      <p className="text-muted">
        Send it as <span className="mono">Authorization: Bearer ffpat_…</span>, never in an address.
      </p>
    </>
  )
}
