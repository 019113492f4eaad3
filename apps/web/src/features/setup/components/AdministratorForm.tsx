import { Email, Password, Username } from '@app/contract/account'
import { useEffect } from 'react'
import * as z from 'zod/mini'
import { FullName } from '../../account/index.ts'
import { Field, Form, type FormOf, FormError, SubmitButton } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'

export const Administrator = z.object({
  username: Username,
  name: FullName,
  email: Email,
  password: Password,
})
export type Administrator = z.output<typeof Administrator>

/** First step: who administers the platform. */
export function AdministratorForm({ form, onNext }: { form: FormOf<Administrator>; onNext: () => void }) {
  const { setFocus } = form
  useEffect(() => setFocus('username'), [setFocus])
  return (
    <Form form={form} onSubmit={onNext}>
      <FormError form={form} />
      <Field form={form} name="username" label="Username">
        {(field) => <Input {...field} autoComplete="username" autoCapitalize="none" spellCheck={false} />}
      </Field>
      <Field form={form} name="name" label="Full name" help="Optional. Defaults to your username.">
        {(field) => <Input {...field} autoComplete="name" />}
      </Field>
      <Field form={form} name="email" label="Email">
        {(field) => <Input {...field} type="email" autoComplete="email" />}
      </Field>
      <Field form={form} name="password" label="Password" help="At least 8 characters.">
        {(field) => <PasswordInput {...field} autoComplete="new-password" />}
      </Field>
      <SubmitButton form={form}>Continue</SubmitButton>
    </Form>
  )
}
