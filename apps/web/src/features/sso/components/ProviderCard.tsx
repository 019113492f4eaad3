import type { SsoProvider } from '@app/contract'
import { useNavigate } from '@tanstack/react-router'
import { Controller, useFormState } from 'react-hook-form'
import { Card } from '../../../ui/Card.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Copyable } from '../../../ui/CopyButton.tsx'
import { Field, type FormOf, Form, FormError, setFieldErrors, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input, Textarea } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { faultsOf, patchOf, ProviderForm, switches, valuesOf } from '../sso-form.ts'
import { useChangeProvider } from '../sso.queries.ts'
import { MetadataImport } from './MetadataImport.tsx'

/** The form of a provider, with the addresses that the provider has to know [ASSO-08] [ASSO-09] [ASSO-13]. */
export function ProviderCard({ provider }: { provider: SsoProvider }) {
  const navigate = useNavigate()
  const { mutateAsync: change } = useChangeProvider(provider.id)
  const form = useZodForm(ProviderForm, { defaultValues: valuesOf(provider) })
  const { isDirty } = useFormState({ control: form.control })

  async function submit(values: ProviderForm) {
    try {
      await change(patchOf(values))
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
        <Field form={form} name="name" label="Configuration Name">
          {(field) => <Input {...field} autoComplete="off" />}
        </Field>
        <Field form={form} name="domainFilter" label="Email Domain">
          {(field) => <Input {...field} placeholder="@example.com" autoComplete="off" autoCapitalize="none" />}
        </Field>
        <FormRow
          label="ACS URL"
          help="Enter this and the next at the provider."
          uneditable={{ value: <Copyable text={provider.acsURL} what="ACS URL" /> }}
        />
        <FormRow
          label="Entity ID/Issuer"
          help="Also the address of the metadata."
          uneditable={{ value: <Copyable text={provider.entityID} what="Entity ID" /> }}
        />
        <MetadataImport
          id={provider.id}
          onRead={(options) => {
            for (const name of ['entryPoint', 'idpIssuer', 'cert', 'nextCert'] as const)
              form.setValue(name, options[name] ?? '', { shouldDirty: true, shouldValidate: true })
          }}
        />
        <ProviderOptions form={form} />
        <SubmitButton form={form} disabled={!isDirty}>
          Update configuration
        </SubmitButton>
      </Form>
    </Card>
  )
}

function ProviderOptions({ form }: { form: FormOf<ProviderForm> }) {
  const active = { name: 'active' as const, label: 'Active', help: 'People of the domain sign in through it.' }
  return (
    <>
      <Field form={form} name="entryPoint" label="Identity Provider Single Sign-On URL">
        {(field) => <Input {...field} type="url" autoComplete="off" />}
      </Field>
      <Field form={form} name="idpIssuer" label="Identity Provider Issuer ID/URL">
        {(field) => <Input {...field} autoComplete="off" />}
      </Field>
      <Field form={form} name="cert" label="X.509 certificate" help="As PEM. It signs the answers of the provider.">
        {(field) => <Textarea {...field} rows={6} className="mono" spellCheck={false} />}
      </Field>
      <Field form={form} name="nextCert" label="Next certificate" help="Optional. Both count while one is exchanged.">
        {(field) => <Textarea {...field} rows={3} className="mono" spellCheck={false} />}
      </Field>
      <Field
        form={form}
        name="groupsAttribute"
        label="Attribute with the groups"
        help="Optional. The usual names are known."
      >
        {(field) => <Input {...field} autoComplete="off" autoCapitalize="none" spellCheck={false} />}
      </Field>
      {[...switches, active].map(({ name, label, help }) => (
        <Controller
          key={name}
          control={form.control}
          name={name}
          render={({ field: { value, ...field } }) => <Checkbox {...field} checked={value} label={label} help={help} />}
        />
      ))}
    </>
  )
}
