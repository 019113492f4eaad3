import * as z from 'zod/mini'
import { Button } from '../ui/Button.tsx'
import { Field, Form, FormError, SubmitButton, useZodForm } from '../ui/Form.tsx'
import { PasswordInput } from '../ui/PasswordInput.tsx'
import { BoxedLayout } from './BoxedLayout.tsx'

const filled = (message: string) => z.string().check(z.minLength(1, message))
const schema = z
  .object({
    current: filled('Enter your current password'),
    password: filled('Enter a new password').check(
      z.minLength(8, 'Password too short'),
      z.maxLength(1024, 'Password too long'),
    ),
    confirmation: z.string(),
  })
  .check(
    z.refine((form) => form.password === form.confirmation, {
      path: ['confirmation'],
      error: 'Passwords do not match',
    }),
  )

/** Gate 3: a new password is due. `onSubmit` answers with a sentence when the server refuses. */
export function PasswordExpired({
  onSubmit,
  onSignOut,
}: {
  onSubmit: (passwords: { current: string; password: string }) => Promise<string | undefined>
  onSignOut: () => void
}) {
  const form = useZodForm(schema, { defaultValues: { current: '', password: '', confirmation: '' } })
  const submit = async ({ current, password }: z.infer<typeof schema>) => {
    const refusal = await onSubmit({ current, password })
    if (refusal) form.setError('root', { message: refusal })
  }
  return (
    <BoxedLayout title="Your password has expired">
      <p className="-mt-3 text-muted">Choose a new one to go on.</p>
      <Form form={form} onSubmit={submit}>
        <FormError form={form} />
        <Field form={form} name="current" label="Current password">
          {(field) => <PasswordInput {...field} autoComplete="current-password" />}
        </Field>
        <Field form={form} name="password" label="New password" help="At least 8 characters.">
          {(field) => <PasswordInput {...field} autoComplete="new-password" />}
        </Field>
        <Field form={form} name="confirmation" label="Confirm the new password">
          {(field) => <PasswordInput {...field} autoComplete="new-password" />}
        </Field>
        <SubmitButton form={form}>Change password</SubmitButton>
      </Form>
      <Button variant="ghost" onClick={onSignOut}>
        Sign Out
      </Button>
    </BoxedLayout>
  )
}
