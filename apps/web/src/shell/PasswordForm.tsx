import { limits } from '@app/contract/constants'
import { useLayoutEffect } from 'react'
import * as z from 'zod/mini'
import { Field, Form, FormError, setFieldErrors, SubmitButton, useZodForm } from '../ui/Form.tsx'
import { PasswordInput } from '../ui/PasswordInput.tsx'

/** Sentences by field; `root` is the whole form. */
export type Refused = Record<string, string>
export type Passwords = { current: string; password: string }

/** The checks of a form for a new password. `tooShort` is the sentence of the page for that. */
export function passwordSchema({ current, tooShort }: { current: boolean; tooShort: string }) {
  const filled = (message: string) => z.string().check(z.minLength(1, message))
  return z
    .object({
      current: current ? filled('Enter your current password') : z.string(),
      password: filled('Enter a new password').check(
        z.minLength(limits.passwordMin, tooShort),
        z.maxLength(limits.passwordMax, 'Password too long'),
      ),
      confirmation: z.string(),
    })
    .check(
      z.refine((form) => form.password === form.confirmation, {
        path: ['confirmation'],
        error: 'Passwords do not match',
      }),
    )
}

/**
 * A new password, typed twice, after the current one where that is asked. `onSubmit` answers with sentences when the
 * server refuses; after a success the fields are empty again.
 */
export function PasswordForm({
  current = true,
  tooShort = 'Password too short',
  submit,
  wide = false,
  username,
  onSubmit,
}: {
  current?: boolean
  tooShort?: string
  /** Text of the button. */
  submit: string
  /** Is all there is on the screen, as in a boxed layout: a button of the whole width, the focus on the first field. */
  wide?: boolean
  /** The username, for password managers; undefined where the link alone knows. */
  username?: string
  onSubmit: (passwords: Passwords) => Promise<Refused | undefined>
}) {
  const form = useZodForm(passwordSchema({ current, tooShort }), {
    defaultValues: { current: '', password: '', confirmation: '' },
  })
  const { setFocus } = form
  useLayoutEffect(() => {
    if (wide) setFocus(current ? 'current' : 'password')
  }, [wide, current, setFocus])
  const send = async (passwords: Passwords) => {
    const refused = await onSubmit(passwords)
    if (refused) setFieldErrors(form, refused)
    else form.reset()
  }
  return (
    <Form form={form} onSubmit={send}>
      <FormError form={form} />
      {username && <input hidden readOnly autoComplete="username" value={username} />}
      {current && (
        <Field form={form} name="current" label="Current password">
          {(field) => <PasswordInput {...field} autoComplete="current-password" />}
        </Field>
      )}
      <Field form={form} name="password" label="New password" help={`At least ${limits.passwordMin} characters.`}>
        {(field) => <PasswordInput {...field} autoComplete="new-password" />}
      </Field>
      <Field form={form} name="confirmation" label="Confirm the new password">
        {(field) => <PasswordInput {...field} autoComplete="new-password" />}
      </Field>
      <div className={wide ? 'flex flex-col' : 'flex'}>
        <SubmitButton form={form}>{submit}</SubmitButton>
      </div>
    </Form>
  )
}
