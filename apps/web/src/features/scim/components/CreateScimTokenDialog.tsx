import type { SsoProvider } from '@app/contract'
import { Controller } from 'react-hook-form'
import * as z from 'zod/mini'
import { requiredName } from '../../../lib/required-name.ts'
import { expiries, expiryAfter } from '../../../lib/token-expiry.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Field, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { TokenDialog } from '../../tokens/index.ts'
import { useCreateScimToken } from '../scim.queries.ts'

const NewToken = z.object({
  name: requiredName('Required field'),
  directory: requiredName('Required field'),
  provider: z.string(),
  expiry: z.string(),
  adoptExisting: z.boolean(),
})

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
  const { mutateAsync: create } = useCreateScimToken()
  const choices = [
    ...providers.flatMap(({ id, name, domainFilter }) =>
      domainFilter === null ? [] : [{ value: id, label: name, note: domainFilter }],
    ),
    { value: none, label: 'None' },
  ]
  // Several providers have no default, since a wrong one is easily missed.
  const only = choices.length === 2 ? choices[0]!.value : none
  const form = useZodForm(NewToken, {
    defaultValues: { name: '', directory, provider: only, expiry: '365', adoptExisting: false },
  })
  return (
    <TokenDialog
      title="Create SCIM Token"
      form={form}
      create={({ expiry, provider, ...values }) =>
        create({
          ...values,
          provider: provider === none ? null : provider,
          expiresAt: expiryAfter(expiry, Date.now()),
        })
      }
      what="SCIM token"
      warning="Anyone with this token can create and suspend accounts."
      use="Enter it at the directory as the secret token, or as the bearer token."
      onClose={onClose}
    >
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
    </TokenDialog>
  )
}
