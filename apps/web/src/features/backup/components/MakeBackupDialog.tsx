import { useEffect, useId } from 'react'
import * as z from 'zod/mini'
import { ApiError } from '../../../lib/api.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, Form, FormError, setFieldErrors, useZodForm } from '../../../ui/Form.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { useMakeBackup } from '../../health/index.ts'

const least = 12
const Passphrases = z
  .object({
    passphrase: z.string().check(z.minLength(least, `At least ${least} characters`), z.maxLength(1024, 'Too long')),
    again: z.string(),
  })
  .check(z.refine(({ passphrase, again }) => passphrase === again, { path: ['again'], error: 'These differ' }))
type Passphrases = z.output<typeof Passphrases>

/** Asks for the passphrase, twice, since nobody can look it up later. */
export function MakeBackupDialog({ onClose }: { onClose: () => void }) {
  const id = useId()
  const { mutateAsync: make } = useMakeBackup()
  const form = useZodForm(Passphrases, { defaultValues: { passphrase: '', again: '' } })
  const { setFocus } = form
  useEffect(() => setFocus('passphrase'), [setFocus])
  async function submit({ passphrase }: Passphrases) {
    try {
      await make(passphrase)
      onClose()
    } catch (error) {
      if (!(error instanceof ApiError)) return
      setFieldErrors(form, Object.keys(error.fields).length > 0 ? error.fields : { root: error.message })
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Make Backup"
      description="The database, the flows, the files of instances and the key of the platform, in one encrypted file. Everything goes on meanwhile."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={id} loading={form.formState.isSubmitting}>
            Make Backup
          </Button>
        </>
      }
    >
      <Form id={id} form={form} onSubmit={submit}>
        <FormError form={form} />
        <Field form={form} name="passphrase" label="Passphrase" help="Four words or more that nobody guesses.">
          {(field) => <PasswordInput {...field} autoComplete="new-password" />}
        </Field>
        <Field form={form} name="again" label="The same again">
          {(field) => <PasswordInput {...field} autoComplete="new-password" />}
        </Field>
        <Banner kind="warning">
          Keep it somewhere safe: it is stored nowhere, and without it the file is worth nothing.
        </Banner>
      </Form>
    </Dialog>
  )
}
