import type { PlatformSettings, User } from '@app/contract'
import { useLayoutEffect } from 'react'
import { ApiError, sentenceOf } from '../../../lib/api.ts'
import { captureUse, identify } from '../../../lib/analytics.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Field, Form, FormError, setFieldErrors, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { RadioTiles } from '../../../ui/RadioTiles.tsx'
import { TextAnchor } from '../../../ui/TextLink.tsx'
import { joinReasons, type SignUpForm as Values, signUpSchema } from '../fields.ts'
import { signUpFailure } from '../refusals.ts'
import { payloadOf } from '../sign-up.ts'
import { useSignUp } from '../sign-up.queries.ts'

/** The sign-up form. The button works once every rule passes [SIGNUP-09]. */
export function SignUpForm({
  settings,
  email,
  code,
  onDone,
}: {
  settings: PlatformSettings
  /** Already known, from an invitation. */
  email: string
  /** The code of an invitation; '' without one. */
  code: string
  onDone: (user: User) => void
}) {
  const asked = { reason: settings.analytics.enabled, terms: settings['user:tcs-required'] }
  const { mutateAsync: signUp } = useSignUp()
  const schema = signUpSchema(asked)
  const form = useZodForm(schema, {
    defaultValues: { username: '', name: '', email, password: '', reason: '', terms: false },
  })
  const { setFocus } = form
  useLayoutEffect(() => setFocus('username'), [setFocus])
  // Not the form's own state: that counts what the server refused, and one may want to try the same again.
  const isValid = schema.safeParse(form.watch()).success

  async function submit(values: Values) {
    const body = payloadOf(values, { ...asked, code })
    try {
      const user = await signUp(body)
      if (body.join_reason) {
        identify(user, { join_reason: body.join_reason })
        captureUse('$ff-user-registered', {}, {})
      }
      onDone(user)
    } catch (error) {
      if (!(error instanceof ApiError)) return
      setFieldErrors(form, signUpFailure({ code: error.code, fields: error.fields, sentence: sentenceOf(error) }))
    }
  }

  return (
    <Form form={form} onSubmit={submit}>
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
      <Field form={form} name="password" label="Password" help="At least 8 characters. A sentence is easy to remember.">
        {(field) => <PasswordInput {...field} autoComplete="new-password" />}
      </Field>
      {asked.reason && (
        <Field form={form} name="reason" label="What brings you here?" group>
          {(field) => <RadioTiles {...field} compact tiles={[...joinReasons]} />}
        </Field>
      )}
      {asked.terms && (
        <Field form={form} name="terms" label="Terms" group>
          {({ value, ...field }) => (
            <Checkbox
              {...field}
              checked={value}
              label={
                <>
                  I accept the{' '}
                  {settings['user:tcs-url'] ? (
                    <TextAnchor href={settings['user:tcs-url']}>Terms and Conditions</TextAnchor>
                  ) : (
                    'Terms and Conditions'
                  )}
                </>
              }
            />
          )}
        </Field>
      )}
      <SubmitButton form={form} disabled={!isValid}>
        Sign Up
      </SubmitButton>
    </Form>
  )
}
