import { useLayoutEffect } from 'react'
import * as z from 'zod/mini'
import { ApiError } from '../../../lib/api.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { Field, Form, FormError, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { filled } from '../fields.ts'
import { useForgotPassword } from '../sign-up.queries.ts'

const Forgotten = z.object({ email: filled('Enter email address') })

/** Asks for a mail with a link to choose a new password. The answer is the same whether or not the address is known. */
export function ForgotPasswordPage() {
  usePageTitle('Forgot password')
  const { mutateAsync: request, isSuccess } = useForgotPassword()
  const form = useZodForm(Forgotten, { defaultValues: { email: '' } })
  const { setFocus } = form
  useLayoutEffect(() => setFocus('email'), [setFocus])

  async function submit({ email }: z.output<typeof Forgotten>) {
    try {
      await request(email)
    } catch (error) {
      if (error instanceof ApiError) form.setError('root', { message: error.message })
    }
  }

  return (
    <BoxedLayout title="Forgot your password?">
      {isSuccess ? (
        <Banner kind="success">We have sent you an email with instructions to reset your password</Banner>
      ) : (
        <>
          <p className="-mt-3 text-muted">We mail you a link to choose a new password.</p>
          <Form form={form} onSubmit={submit}>
            <FormError form={form} />
            <Field form={form} name="email" label="Email">
              {(field) => <Input {...field} type="email" autoComplete="email" />}
            </Field>
            <SubmitButton form={form}>Send the link</SubmitButton>
          </Form>
        </>
      )}
      <TextLink to="/" className="text-md">
        Back to login
      </TextLink>
    </BoxedLayout>
  )
}
