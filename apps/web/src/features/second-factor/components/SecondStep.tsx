import type { SecondStep as Step } from '@app/contract'
import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import * as z from 'zod/mini'
import { api, hasStatus } from '../../../lib/api.ts'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Field, Form, FormError, setFieldErrors, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { SkeletonText } from '../../../ui/Skeleton.tsx'
import { useRenewSession } from '../../account/index.ts'
import { fieldErrorsOf } from '../failures.ts'
import { askPasskey, passkeysMissing } from '../passkey.ts'
import { CodeInput } from './ProofForm.tsx'

type Method = Step['methods'][number]
type Answer = { code: string } | { passkey: Awaited<ReturnType<typeof askPasskey>> }

const Code = z.object({ code: z.string().check(z.minLength(1, 'Enter a code')) })
const words: Record<Method, string> = {
  passkey: 'Use a passkey',
  app: 'Use a code of your app',
  recovery: 'Use a recovery code',
}

/**
 * Signing in, after the password: one of the factors the person has. `onBack` leads to the password again. Without
 * `onDone` the page that was asked for follows by itself.
 */
export function SecondStep({ onBack, onDone }: { onBack: () => void; onDone?: (() => void) | undefined }) {
  usePageTitle('Login')
  // Not a query, which would be read again by itself: each time makes a challenge, and the last one is what counts.
  const { data, error, mutate } = useMutation({
    meta: { caught: true },
    mutationFn: () => api.call('secondFactor.step'),
  })
  useEffect(() => mutate(), [mutate])
  const over = hasStatus(error, 401)
  return (
    <BoxedLayout title="Second factor">
      {over && <Banner kind="warning">This sign-in took too long. Enter your password again.</Banner>}
      {error && !over && <Failure error={error} onRetry={() => mutate()} />}
      {!data && !error && <SkeletonText lines={2} />}
      {data && <Methods step={data} renew={() => api.call('secondFactor.step')} onDone={onDone} />}
      <Button variant="ghost" onClick={onBack}>
        Start over
      </Button>
    </BoxedLayout>
  )
}

function Methods({
  step,
  renew,
  onDone,
}: {
  step: Step
  renew: () => Promise<Step>
  onDone: (() => void) | undefined
}) {
  const usable = step.methods.filter((method) => method !== 'passkey' || passkeysMissing() === undefined)
  const [method, setMethod] = useState(usable[0])
  const renewSession = useRenewSession()
  const signIn = async (answer: Answer) => {
    await api.call('secondFactor.signIn', { body: answer })
    if (onDone) onDone()
    else await renewSession()
  }
  return (
    <>
      {method === 'passkey' && <ByPasskey step={step} renew={renew} signIn={signIn} />}
      {(method === 'app' || method === 'recovery') && <ByCode key={method} method={method} signIn={signIn} />}
      {method === undefined && <p className="text-muted">None of your second factors works in this browser.</p>}
      <div className="flex flex-col gap-2">
        {usable
          .filter((other) => other !== method)
          .map((other) => (
            <Button key={other} onClick={() => setMethod(other)}>
              {words[other]}
            </Button>
          ))}
      </div>
    </>
  )
}

function ByCode({ method, signIn }: { method: 'app' | 'recovery'; signIn: (answer: Answer) => Promise<void> }) {
  const form = useZodForm(Code, { defaultValues: { code: '' } })
  const { setFocus } = form
  useEffect(() => setFocus('code'), [setFocus])
  const submit = async ({ code }: { code: string }) => {
    try {
      await signIn({ code: code.trim() })
    } catch (error) {
      setFieldErrors(form, fieldErrorsOf(error, ['code']))
      setFocus('code', { shouldSelect: true })
    }
  }
  return (
    <Form form={form} onSubmit={submit}>
      <FormError form={form} />
      <Field
        form={form}
        name="code"
        label={method === 'app' ? 'Code of your authenticator app' : 'Recovery code'}
        {...(method === 'recovery' ? { help: 'Each code works once.' } : {})}
      >
        {(field) =>
          method === 'app' ? (
            <CodeInput {...field} />
          ) : (
            <Input {...field} autoComplete="off" autoCapitalize="none" spellCheck={false} className="mono" />
          )
        }
      </Field>
      <SubmitButton form={form}>Login</SubmitButton>
    </Form>
  )
}

function ByPasskey({
  step,
  renew,
  signIn,
}: {
  step: Step
  renew: () => Promise<Step>
  signIn: (answer: Answer) => Promise<void>
}) {
  const form = useZodForm(z.object({}), { defaultValues: {} })
  const [used, setUsed] = useState(false)
  // As with a code: what comes next is at hand.
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])
  async function submit() {
    try {
      // A challenge counts once, so a second try needs another.
      const options = (used ? await renew() : step).passkey
      setUsed(true)
      if (options) await signIn({ passkey: await askPasskey(options) })
    } catch (error) {
      setFieldErrors(form, fieldErrorsOf(error, []))
    }
  }
  return (
    <Form form={form} onSubmit={submit}>
      <p className="text-muted">Your browser asks for the passkey you added to your account.</p>
      <FormError form={form} />
      <SubmitButton form={form} icon={<KeyRound size={14} aria-hidden />} ref={button}>
        Continue with a passkey
      </SubmitButton>
    </Form>
  )
}
