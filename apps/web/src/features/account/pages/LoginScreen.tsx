import * as z from 'zod/mini'
import { limits } from '@app/contract/constants'
import { useEffect, useState } from 'react'
import { ApiError } from '../../../lib/api.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { Field, Form, FormError, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { useLogin } from '../account.queries.ts'

const required = z.string().check(z.minLength(1, 'Required field'))
const password = required.check(z.maxLength(limits.passwordMax, 'Too long'))
const NameOnly = z.object({ username: required, password: z.string() })
const WithPassword = z.object({ username: required, password })

/** Signing in, in two steps: the server says whether it wants a password. The address stays what was asked for. */
export function LoginScreen() {
  usePageTitle('Login')
  const [asked, setAsked] = useState(false)
  const login = useLogin()
  const form = useZodForm(asked ? WithPassword : NameOnly, { defaultValues: { username: '', password: '' } })
  const { setFocus } = form
  useEffect(() => setFocus(asked ? 'password' : 'username'), [asked, setFocus])

  async function submit(values: z.output<typeof WithPassword>) {
    const { username, password } = values
    try {
      await login.mutateAsync({ username, ...(asked ? { password } : {}) })
    } catch (error) {
      if (!(error instanceof ApiError)) return
      if (error.code === 'password_required') return setAsked(true)
      form.setError('root', { message: error.code === 'unauthorized' ? 'Login failed' : error.message })
      setFocus('password', { shouldSelect: true })
    }
  }

  return (
    <BoxedLayout title="Login">
      <Form form={form} onSubmit={submit}>
        <FormError form={form} />
        <Field form={form} name="username" label="Username or email">
          {(field) => <Input {...field} autoComplete="username" autoCapitalize="none" spellCheck={false} />}
        </Field>
        {asked && (
          <Field form={form} name="password" label="Password">
            {(field) => <PasswordInput {...field} autoComplete="current-password" />}
          </Field>
        )}
        <SubmitButton form={form}>Login</SubmitButton>
      </Form>
    </BoxedLayout>
  )
}
