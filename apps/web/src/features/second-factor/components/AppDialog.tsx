import type { FactorKind, Proof } from '@app/contract'
import { useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { api } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Field, Form, FormError, setFieldErrors, useZodForm } from '../../../ui/Form.tsx'
import { QrCode } from '../../../ui/QrCode.tsx'
import { fieldErrorsOf } from '../failures.ts'
import { useConfirmApp } from '../second-factor.queries.ts'
import { FactorDialog } from './FactorDialog.tsx'
import { CodeInput, ProofForm } from './ProofForm.tsx'

type Secret = { secret: string; uri: string }
const Code = z.object({ code: z.string().check(z.regex(/^\s*\d{3}\s*\d{3}\s*$/, 'Enter the six digits')) })

/** Adds an authenticator app: who asks, the secret as a picture, a code of it, and the first time recovery codes. */
export function AppDialog({ kinds, onClose }: { kinds: readonly FactorKind[]; onClose: () => void }) {
  const [secret, setSecret] = useState<Secret>()
  const [codes, setCodes] = useState<readonly string[]>()
  const start = async (proof: Proof) => setSecret(await api.call('secondFactor.startApp', { body: { proof } }))
  return (
    <FactorDialog
      title="Add an authenticator app"
      codes={codes}
      onClose={onClose}
      submit={(form) => (
        <Button variant="primary" type="submit" form={form}>
          {secret ? 'Confirm the code' : 'Continue'}
        </Button>
      )}
    >
      {(form) =>
        secret ? (
          <Confirm id={form} secret={secret} onDone={(made) => (made ? setCodes(made) : onClose())} />
        ) : (
          <ProofForm id={form} kinds={kinds} onProof={start} />
        )
      }
    </FactorDialog>
  )
}

function Confirm({
  id,
  secret,
  onDone,
}: {
  id: string
  secret: Secret
  onDone: (codes: readonly string[] | undefined) => void
}) {
  const { mutateAsync: confirm } = useConfirmApp()
  const form = useZodForm(Code, { defaultValues: { code: '' } })
  const { setFocus } = form
  useEffect(() => setFocus('code'), [setFocus])
  async function submit({ code }: { code: string }) {
    try {
      onDone((await confirm(code.replace(/\s/g, ''))).recoveryCodes)
    } catch (error) {
      setFieldErrors(form, fieldErrorsOf(error, ['code']))
    }
  }
  return (
    <Form id={id} form={form} onSubmit={submit}>
      <div className="flex flex-wrap gap-5">
        <QrCode text={secret.uri} label="QR code of the secret" />
        <div className="min-w-0 flex-1 basis-52">
          <p className="text-muted">
            Scan the QR code with an authenticator app, such as Google Authenticator, 1Password or Aegis.
          </p>
          <p className="mt-3 mb-1 text-muted">No camera? Type this secret:</p>
          <div className="flex items-start gap-1">
            <span className="mono min-w-0 break-all">{secret.secret.match(/.{1,4}/g)?.join(' ')}</span>
            <CopyButton text={secret.secret} what="secret" />
          </div>
        </div>
      </div>
      <FormError form={form} />
      <Field form={form} name="code" label="Code from the app">
        {(field) => <CodeInput {...field} />}
      </Field>
    </Form>
  )
}
