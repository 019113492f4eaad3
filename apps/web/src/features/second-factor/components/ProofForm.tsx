import type { FactorKind, Proof } from '@app/contract'
import { type ComponentProps, useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { api } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field, Form, FormError, setFieldErrors, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { fieldErrorsOf } from '../failures.ts'
import { askPasskey } from '../passkey.ts'

type Way = 'password' | 'code'
const schemas = {
  password: z.object({ password: z.string().check(z.minLength(1, 'Enter your password')), code: z.string() }),
  code: z.object({ password: z.string(), code: z.string().check(z.minLength(1, 'Enter the code of your app')) }),
}

/** Asks once more who is there: by password, or by a factor the person has. The submit button stands outside. */
export function ProofForm({
  id,
  kinds,
  onProof,
}: {
  id: string
  /** The kinds of factors the person has. */
  kinds: readonly FactorKind[]
  /** Uses the proof; a refusal shows in the form. */
  onProof: (proof: Proof) => Promise<void>
}) {
  const [way, setWay] = useState<Way>('password')
  const form = useZodForm(schemas[way], { defaultValues: { password: '', code: '' } })

  const { setFocus } = form
  useEffect(() => setFocus(way), [way, setFocus])

  async function attempt(proof: () => Promise<Proof>) {
    form.clearErrors()
    try {
      await onProof(await proof())
    } catch (error) {
      setFieldErrors(form, fieldErrorsOf(error, [way]))
    }
  }
  return (
    <Form
      id={id}
      form={form}
      onSubmit={({ password, code }) => attempt(async () => (way === 'password' ? { password } : { code }))}
    >
      <FormError form={form} />
      {way === 'password' ? (
        <Field form={form} name="password" label="Your password" help="Confirms that it is you.">
          {(field) => <PasswordInput {...field} autoComplete="current-password" />}
        </Field>
      ) : (
        <Field form={form} name="code" label="Code of your authenticator app">
          {(field) => <CodeInput {...field} />}
        </Field>
      )}
      {kinds.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {kinds.includes('app') && (
            <Button size="sm" onClick={() => setWay(way === 'code' ? 'password' : 'code')}>
              {way === 'code' ? 'Use your password' : 'Use a code'}
            </Button>
          )}
          {kinds.includes('passkey') && (
            <Button
              size="sm"
              onClick={() =>
                void attempt(async () => ({ passkey: await askPasskey(await api.call('secondFactor.challenge')) }))
              }
            >
              Use a passkey
            </Button>
          )}
        </div>
      )}
    </Form>
  )
}

/** Six digits; phones show their number keys and offer what their app or a message brought. */
export function CodeInput(props: ComponentProps<'input'>) {
  return (
    <Input
      {...props}
      autoComplete="one-time-code"
      inputMode="numeric"
      spellCheck={false}
      className="mono tracking-widest"
    />
  )
}
