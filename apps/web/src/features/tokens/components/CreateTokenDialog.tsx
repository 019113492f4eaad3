import type { Scope } from '@app/contract/scopes'
import * as z from 'zod/mini'
import { requiredName } from '../../../lib/required-name.ts'
import { expiries, expiryAfter } from '../../../lib/token-expiry.ts'
import { Field, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { useCreateToken } from '../tokens.queries.ts'
import { ScopeChoice } from './ScopeChoice.tsx'
import { TokenDialog } from './TokenDialog.tsx'

const NewToken = z.object({
  name: requiredName(),
  expiry: z.string(),
  scopes: z.array(z.string()).check(z.minLength(1, 'Choose at least one')),
})

/** Makes a token and shows it, this once. */
export function CreateTokenDialog({ onClose }: { onClose: () => void }) {
  const { mutateAsync: create } = useCreateToken()
  const form = useZodForm(NewToken, { defaultValues: { name: '', expiry: '90', scopes: [] } })
  return (
    <TokenDialog
      title="Create an access token"
      form={form}
      create={({ name, expiry, scopes }) =>
        create({ name, scopes: scopes as Scope[], expiresAt: expiryAfter(expiry, Date.now()) })
      }
      what="access token"
      warning="Anyone with this token can do what you allowed."
      use={
        <>
          Send it as <span className="mono">Authorization: Bearer ffpat_…</span>, never in an address.
        </>
      }
      onClose={onClose}
    >
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
    </TokenDialog>
  )
}
