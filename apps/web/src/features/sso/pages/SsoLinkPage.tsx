import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { api, ApiError, hasStatus } from '../../../lib/api.ts'
import { keys } from '../../../lib/api-keys.ts'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Field, Form, FormError, setFieldErrors, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { SkeletonText } from '../../../ui/Skeleton.tsx'
import { SecondStep } from '../../second-factor/index.ts'
import { ownPath } from '../own-path.ts'

const Password = z.object({ password: z.string().check(z.minLength(1, 'Required field')) })
const leave = () => location.replace(ownPath(location.search))

/** Asks for the password of an account, once, before it is linked to a provider. */
export function SsoLinkPage() {
  usePageTitle('Login')
  const [passed, setPassed] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: keys.ssoLink,
    retry: false,
    queryFn: () => api.call('sso.linking'),
  })
  const form = useZodForm(Password, { defaultValues: { password: '' } })
  if (passed) return <SecondStep onBack={() => location.replace('/')} onDone={leave} />
  const over = hasStatus(error, 401)

  async function submit(body: { password: string }) {
    try {
      await api.call('sso.link', { body })
      leave()
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      if (failure.code === 'mfa_required') return setPassed(true)
      setFieldErrors(form, { password: failure.message })
      form.setFocus('password', { shouldSelect: true })
    }
  }

  return (
    <BoxedLayout title="Link your account">
      {over && <Banner kind="warning">This sign-in took too long. Sign in again.</Banner>}
      {error && !over && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonText lines={3} />}
      {data && (
        <Form form={form} onSubmit={submit}>
          <p className="text-muted">
            {data.provider} has signed you in. The account <b>{data.username}</b> has the address {data.email}. Enter
            its password once to link it: from then on {data.provider} signs you in.
          </p>
          <FormError form={form} />
          <Field form={form} name="password" label="Password">
            {(field) => (
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page asks for nothing else
              <PasswordInput {...field} autoComplete="current-password" autoFocus />
            )}
          </Field>
          <SubmitButton form={form}>Link and Login</SubmitButton>
        </Form>
      )}
      <Button variant="ghost" onClick={() => location.replace('/')}>
        Start over
      </Button>
    </BoxedLayout>
  )
}
