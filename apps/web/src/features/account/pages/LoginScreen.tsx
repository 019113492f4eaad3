import * as z from 'zod/mini'
import { limits } from '@app/contract/constants'
import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react'
import { ApiError } from '../../../lib/api.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useSessionEnded } from '../../../lib/session-ended.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { Field, Form, FormError, setFieldErrors, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { ProviderButtons } from '../components/ProviderButtons.tsx'
import { filled } from '../fields.ts'
import { type LoginStep, stepAfter } from '../login.ts'
import { useLogin, useSettings } from '../session.queries.ts'
import { refusalIn, withoutRefusal } from '../sso-refusals.ts'

const NameOnly = z.object({ username: filled(), password: z.string() })
const WithPassword = z.object({
  username: filled(),
  password: filled().check(z.maxLength(limits.passwordMax, 'Too long')),
})

/** The refusal that the address tells of. It goes from the address, so that a reload or a link does not tell it again. */
function useRefusal(): string | undefined {
  const [refusal] = useState(() => refusalIn(location.search))
  // The router notices, since it listens to the history of the browser.
  useEffect(() => {
    if (refusal !== undefined) history.replaceState(history.state, '', withoutRefusal(location) + location.hash)
  }, [refusal])
  return refusal
}

/** Signing in, in two steps: the server says whether it wants a password. The address stays what was asked for. */
export function LoginScreen({ secondStep }: { secondStep: (back: () => void) => ReactNode }) {
  usePageTitle('Login')
  const [asked, setAsked] = useState(false)
  const [passed, setPassed] = useState(false)
  const settings = useSettings()
  const login = useLogin()
  const ended = useSessionEnded()
  const refusal = useRefusal()
  const form = useZodForm(asked ? WithPassword : NameOnly, { defaultValues: { username: '', password: '' } })
  const { setFocus } = form
  // Before the field is seen, so that what is typed at once goes there.
  useLayoutEffect(() => setFocus(asked ? 'password' : 'username'), [asked, setFocus])

  async function submit({ username, password }: z.output<typeof WithPassword>) {
    try {
      await login.mutateAsync({ username, ...(asked ? { password } : {}) })
    } catch (error) {
      if (error instanceof ApiError) take(stepAfter(error, location))
    }
  }

  function take(step: LoginStep) {
    if (step.to === 'password') return setAsked(true)
    if (step.to === 'second-step') return setPassed(true)
    if (step.to === 'provider') return location.assign(step.href)
    setFieldErrors(form, step.errors)
    if (asked && 'root' in step.errors) setFocus('password', { shouldSelect: true })
  }

  const top = refusal ? (
    <Banner kind="error">{refusal}</Banner>
  ) : (
    ended && <Banner>Your session has ended. Sign in again to continue where you were.</Banner>
  )
  if (passed) return secondStep(() => setPassed(false))
  return (
    <BoxedLayout title="Login" top={top}>
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
      <ProviderButtons providers={settings?.['sso:providers']} />
      <div className="flex justify-between gap-4 text-md">
        {asked && settings?.['user:reset-password'] && (
          <TextLink to="/account/forgot-password">Forgot your password</TextLink>
        )}
        {asked && settings?.['user:reset-password'] === false && (
          <span className="text-muted">Forgot your password? Ask an administrator.</span>
        )}
        {settings?.['user:signup'] && (
          <TextLink to="/account/create" className="ml-auto">
            Sign Up
          </TextLink>
        )}
      </div>
    </BoxedLayout>
  )
}
