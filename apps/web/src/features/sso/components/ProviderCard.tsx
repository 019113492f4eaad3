import type { SsoProvider } from '@app/contract'
import { useNavigate } from '@tanstack/react-router'
import { useFormState } from 'react-hook-form'
import { useUnsavedGuard } from '../../../lib/use-unsaved-guard.ts'
import { Card } from '../../../ui/Card.tsx'
import { Copyable } from '../../../ui/CopyButton.tsx'
import { Field, Form, FormError, setFieldErrors, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { faultsOf, patchOf, type ProviderForm, providerForm, valuesOf } from '../sso-form.ts'
import { typeNames } from '../sso-options.ts'
import { useChangeProvider } from '../sso.queries.ts'
import { DomainField } from './DomainField.tsx'
import { MetadataImport } from './MetadataImport.tsx'
import { ProviderOptions } from './ProviderOptions.tsx'

/** The form of a provider, with the addresses that the provider has to know [ASSO-08] [ASSO-09] [ASSO-13]. */
export function ProviderCard({ provider }: { provider: SsoProvider }) {
  const { id, type } = provider
  const navigate = useNavigate()
  const { mutateAsync: change } = useChangeProvider(id)
  const form = useZodForm(providerForm(type), { defaultValues: valuesOf(provider) })
  const { isDirty, isSubmitting } = useFormState({ control: form.control })
  useUnsavedGuard(isDirty && !isSubmitting)

  async function submit(values: ProviderForm) {
    try {
      await change(patchOf(type, values))
      toast.success(`${values.name} is saved`)
      await navigate({ to: '/admin/settings/sso' })
    } catch (error) {
      setFieldErrors(form, faultsOf(error))
    }
  }

  return (
    <Card padded className="max-w-180">
      <Form form={form} onSubmit={submit}>
        <FormError form={form} />
        <FormRow label="Type" uneditable={{ value: typeNames[type] }} />
        <Field form={form} name="name" label="Configuration Name">
          {(field) => <Input {...field} autoComplete="off" />}
        </Field>
        <DomainField form={form} type={type} />
        <Addresses provider={provider} />
        {type === 'saml' && (
          <MetadataImport
            id={id}
            onRead={(options) => {
              for (const name of ['entryPoint', 'idpIssuer', 'cert', 'nextCert'] as const)
                form.setValue(name, options[name] ?? '', { shouldDirty: true, shouldValidate: true })
            }}
          />
        )}
        <ProviderOptions provider={provider} form={form} />
        <SubmitButton form={form} disabled={!isDirty} className="self-start">
          Update configuration
        </SubmitButton>
      </Form>
    </Card>
  )
}

/** The addresses to enter at the provider; a directory has to know none. */
function Addresses({ provider: { type, acsURL, entityID, callbackURL = '' } }: { provider: SsoProvider }) {
  if (type === 'ldap') return null
  if (type === 'oidc') {
    return (
      <FormRow
        label="Redirect URI"
        help="Enter this at the provider."
        uneditable={{ value: <Copyable text={callbackURL} what="redirect URI" /> }}
      />
    )
  }
  return (
    <>
      <FormRow
        label="ACS URL"
        help="Enter this and the next at the provider."
        uneditable={{ value: <Copyable text={acsURL} what="ACS URL" /> }}
      />
      <FormRow
        label="Entity ID/Issuer"
        help="Also the address of the metadata."
        uneditable={{ value: <Copyable text={entityID} what="Entity ID" /> }}
      />
    </>
  )
}
