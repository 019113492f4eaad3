import type { SsoProvider } from '@app/contract'
import { Controller } from 'react-hook-form'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Field, type FormOf } from '../../../ui/Form.tsx'
import { Input, Textarea } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { expiryOf } from '../certificates.ts'
import type { ProviderForm } from '../sso-form.ts'
import { switchOptions, type TextOption, textOptions } from '../sso-options.ts'

type Form = FormOf<ProviderForm>

/** The options that a provider of this type has, and whether it is active. */
export function ProviderOptions({ provider, form }: { provider: SsoProvider; form: Form }) {
  const { type, options, certificates } = provider
  const help = type === 'oidc' ? 'People sign in through it.' : 'People of the domain sign in through it.'
  return (
    <>
      {textOptions[type].map((option) =>
        option.secret ? (
          <Secret
            key={option.name}
            form={form}
            option={option}
            isSet={options[option.name as 'clientSecret' | 'bindPassword'] === true}
          />
        ) : (
          <Field key={option.name} form={form} {...rowOf(option, expiryOf(certificates, option.name))}>
            {(field) =>
              option.rows ? (
                <Textarea {...field} rows={option.rows} className="mono" spellCheck={false} />
              ) : (
                <Input
                  {...field}
                  placeholder={option.placeholder}
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                />
              )
            }
          </Field>
        ),
      )}
      {switchOptions[type].map((one) => (
        <Switch key={one.name} form={form} {...one} />
      ))}
      <Switch form={form} name="active" label="Active" help={help} />
    </>
  )
}

/** `fact`: something to know about the saved value. */
function rowOf({ name, label, help }: TextOption, fact?: string) {
  const text = [help, fact].filter(Boolean).join(' ')
  return { name, label, ...(text === '' ? {} : { help: text }) }
}

/** A secret is written and never read back: an empty field keeps the saved one. */
function Secret({ form, option, isSet }: { form: Form; option: TextOption; isSet: boolean }) {
  const drops = form.watch('dropSecret')
  const help = isSet ? 'One is saved. Enter another to replace it.' : 'Kept encrypted, and never shown again.'
  return (
    <>
      <Field form={form} name={option.name} label={option.label} help={help} disabled={drops}>
        {(field) => <PasswordInput {...field} autoComplete="new-password" disabled={drops} />}
      </Field>
      {isSet && <Switch form={form} name="dropSecret" label={`Remove the saved ${option.label.toLowerCase()}`} />}
    </>
  )
}

function Switch({
  form,
  name,
  ...text
}: {
  form: Form
  name: 'active' | 'dropSecret' | 'startTls' | 'createAccounts' | 'skipSecondFactor' | 'idpInitiated'
  label: string
  help?: string
}) {
  return (
    <Controller
      control={form.control}
      name={name}
      render={({ field: { value, ...field } }) => <Checkbox {...field} checked={value} {...text} />}
    />
  )
}
