import type { SsoProvider } from '@app/contract'
import { limits } from '@app/contract/constants'
import { useId, useState } from 'react'
import { Controller } from 'react-hook-form'
import * as z from 'zod/mini'
import { ApiError } from '../../../lib/api.ts'
import { expiries, expiryAfter } from '../../../lib/token-expiry.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, Form, FormError, setFieldErrors, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { useCreateScimToken } from '../scim.queries.ts'

const name = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, 'Required field'),
    z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`),
  )
const NewToken = z.object({
  name,
  directory: name,
  provider: z.string(),
  expiry: z.string(),
  adoptExisting: z.boolean(),
})
type NewToken = z.output<typeof NewToken>

/** The select has no value for nothing. */
const none = 'none'

/**
 * Makes a token for a directory and shows it, this once. `directory` is the one of the newest token, `providers` are all of
 * the platform: of one with a domain the token may be.
 */
export function CreateScimTokenDialog({
  directory = '',
  providers,
  onClose,
}: {
  directory: string | undefined
  providers: readonly SsoProvider[]
  onClose: () => void
}) {
  const id = useId()
  const [made, setMade] = useState<{ name: string; token: string }>()
  const { mutateAsync: create } = useCreateScimToken()
  const choices = [
    ...providers.flatMap(({ id: value, name: label, domainFilter }) =>
      domainFilter === null ? [] : [{ value, label, note: domainFilter }],
    ),
    { value: none, label: 'None' },
  ]
  // Several providers have no default, since a wrong one is easily missed.
  const provider = choices.length === 2 ? choices[0]!.value : none
  const form = useZodForm(NewToken, {
    defaultValues: { name: '', directory, provider, expiry: '365', adoptExisting: false },
  })

  async function submit({ expiry, provider: chosen, ...values }: NewToken) {
    try {
      const expiresAt = expiryAfter(expiry, Date.now())
      setMade(await create({ ...values, provider: chosen === none ? null : chosen, expiresAt }))
    } catch (error) {
      if (!(error instanceof ApiError)) return
      const { name: atName, directory: atDirectory, provider: atProvider, expiresAt } = error.fields
      const known = {
        ...(atName ? { name: atName } : {}),
        ...(atDirectory ? { directory: atDirectory } : {}),
        ...(atProvider ? { provider: atProvider } : {}),
        ...(expiresAt ? { expiry: expiresAt } : {}),
      }
      setFieldErrors(form, Object.keys(known).length > 0 ? known : { root: error.message })
    }
  }

  // One window for both, so that the focus goes back to where it came from.
  return (
    <Dialog
      open
      onClose={onClose}
      title={made ? `Token “${made.name}”` : 'Create SCIM Token'}
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
          <Field form={form} name="name" label="Name" help="Tells this token from others, such as the year.">
            {(field) => (
              <Input
                {...field}
                autoComplete="off"
                placeholder="Entra 2026"
                // oxlint-disable-next-line jsx-a11y/no-autofocus -- a window has the focus anyway, and would give it to Close
                autoFocus
              />
            )}
          </Field>
          <Field
            form={form}
            name="directory"
            label="Directory"
            help="Tokens with the same directory see the same accounts, so one can replace another."
          >
            {(field) => <Input {...field} autoComplete="off" placeholder="Entra ID" />}
          </Field>
          <Field
            form={form}
            name="provider"
            label="Provider"
            help="The directory may provision addresses of its domain, and of domains that no provider covers."
          >
            {(field) => <Select {...field} options={choices} />}
          </Field>
          <Field form={form} name="expiry" label="Expires">
            {(field) => <Select {...field} options={expiries} />}
          </Field>
          <Controller
            control={form.control}
            name="adoptExisting"
            render={({ field: { value, ...field } }) => (
              <Checkbox
                {...field}
                checked={value}
                label="Take over accounts with the same address"
                help="Only verified addresses count, and never the accounts of administrators."
              />
            )}
          />
        </Form>
      )}
    </Dialog>
  )
}

function Made({ token }: { token: string }) {
  return (
    <>
      <Banner kind="warning">Shown once. Anyone with this token can create and suspend accounts.</Banner>
      <div className="flex items-center gap-2 rounded-lg border bg-page px-3.5 py-2.5">
        <code aria-label="SCIM token" className="mono min-w-0 flex-1 break-all">
          {token}
        </code>
        <CopyButton text={token} what="SCIM token" />
      </div>
      <p className="text-muted">Enter it at the directory as the secret token, or as the bearer token.</p>
    </>
  )
}
