import { useLayoutEffect } from 'react'
import * as z from 'zod/mini'
import { ApiError, reasonOf } from '../../../lib/api.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { Field, Form, FormError, setFieldErrors, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { filled } from '../fields.ts'

const Asked = z.object({ password: filled('Enter your password') })

/** Asks whoever follows the mail for the password of the sign-up; `onPassword` throws when it is refused. */
export function VerifyForm({ onPassword }: { onPassword: (password: string) => Promise<void> }) {
  const form = useZodForm(Asked, { defaultValues: { password: '' } })
  const { setFocus } = form
  useLayoutEffect(() => setFocus('password'), [setFocus])

  async function submit({ password }: z.output<typeof Asked>) {
    try {
      await onPassword(password)
    } catch (error) {
      const named = error instanceof ApiError ? error.fields.password : undefined
      setFieldErrors(form, named ? { password: named } : { root: reasonOf(error) })
    }
  }

  return (
    <BoxedLayout title="Confirm your e-mail address">
      <p className="-mt-3 text-muted">
        Enter the password you chose when you signed up, to prove that the account is yours.
      </p>
      <Form form={form} onSubmit={submit}>
        <FormError form={form} />
        <Field form={form} name="password" label="Password">
          {(field) => <PasswordInput {...field} autoComplete="current-password" />}
        </Field>
        <SubmitButton form={form}>Confirm</SubmitButton>
      </Form>
      <p className="text-md text-muted">
        Did not sign up, or forgot the password?{' '}
        <TextLink to="/account/forgot-password">Choose a new password</TextLink> first. Anyone who used your address is
        then signed out.
      </p>
    </BoxedLayout>
  )
}
