import type { FactorKind, Proof } from '@app/contract'
import { useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { api } from '../../../lib/api.ts'
import { requiredName } from '../../../lib/required-name.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field, Form, FormError, setFieldErrors, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { fieldErrorsOf } from '../failures.ts'
import { makePasskey } from '../passkey.ts'
import { useAddPasskey } from '../second-factor.queries.ts'
import { FactorDialog } from './FactorDialog.tsx'
import { ProofForm } from './ProofForm.tsx'

const Name = z.object({
  name: requiredName(),
})
type Options = { challenge: string; [name: string]: unknown }

/** Adds a passkey: who asks, a name for it, the browser's own window, and the first time recovery codes. */
export function PasskeyDialog({ kinds, onClose }: { kinds: readonly FactorKind[]; onClose: () => void }) {
  const [options, setOptions] = useState<Options>()
  const [codes, setCodes] = useState<readonly string[]>()
  const start = async (proof: Proof) => setOptions(await api.call('secondFactor.startPasskey', { body: { proof } }))
  return (
    <FactorDialog
      title="Add a passkey"
      codes={codes}
      onClose={onClose}
      submit={(form) => (
        <Button variant="primary" type="submit" form={form}>
          {options ? 'Create the passkey' : 'Continue'}
        </Button>
      )}
    >
      {(form) =>
        options ? (
          <Create id={form} options={options} onDone={(made) => (made ? setCodes(made) : onClose())} />
        ) : (
          <ProofForm id={form} kinds={kinds} onProof={start} />
        )
      }
    </FactorDialog>
  )
}

function Create({
  id,
  options,
  onDone,
}: {
  id: string
  options: Options
  onDone: (codes: readonly string[] | undefined) => void
}) {
  const { mutateAsync: add } = useAddPasskey()
  const form = useZodForm(Name, { defaultValues: { name: deviceName() } })
  const { setFocus } = form
  useEffect(() => setFocus('name'), [setFocus])
  async function submit({ name }: { name: string }) {
    try {
      onDone((await add({ name, passkey: await makePasskey(options) })).recoveryCodes)
    } catch (error) {
      setFieldErrors(form, fieldErrorsOf(error, ['name']))
    }
  }
  return (
    <Form id={id} form={form} onSubmit={submit}>
      <p className="text-muted">
        Your browser asks next where to store the passkey: on this device, on your phone or on a security key.
      </p>
      <FormError form={form} />
      <Field form={form} name="name" label="Name" help="Helps you recognise it later.">
        {(field) => <Input {...field} autoComplete="off" />}
      </Field>
    </Form>
  )
}

/** A guess at what the person would call the device at hand. */
function deviceName(): string {
  const { userAgent } = navigator
  const systems = { iPhone: 'iPhone', iPad: 'iPad', Android: 'Android', Mac: 'Mac', Windows: 'Windows', Linux: 'Linux' }
  return Object.entries(systems).find(([mark]) => userAgent.includes(mark))?.[1] ?? ''
}
