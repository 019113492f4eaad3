import type { SsoProvider } from '@app/contract'
import type { FieldPath } from 'react-hook-form'
import { Field, type FormOf } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import type { NewProvider } from '../sso-form.ts'

const help: Record<SsoProvider['type'], string> = {
  saml: 'Everybody with such an address signs in through this provider.',
  oidc: 'Optional. Everybody with such an address signs in through it; without one, only verified addresses count.',
  ldap: 'Everybody with such an address signs in with the password of the directory.',
}

/** The domain whose people sign in through a provider. */
export function DomainField<V extends NewProvider>({ form, type }: { form: FormOf<V>; type: SsoProvider['type'] }) {
  return (
    <Field form={form} name={'domainFilter' as FieldPath<V>} label="Email Domain" help={help[type]}>
      {(field) => <Input {...field} placeholder="@example.com" autoComplete="off" autoCapitalize="none" />}
    </Field>
  )
}
