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
  .check(
    z.refine(({ passphrase, again }) => passphrase === again, {
      path: ['again'],
      error: 'The passphrases do not match',
    }),
  )
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
      description="Saves the database, flows, instance files and the platform key in one encrypted file. The platform keeps running."
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
        <Field form={form} name="passphrase" label="Passphrase" help="Use four or more words that nobody can guess.">
          {(field) => <PasswordInput {...field} autoComplete="new-password" />}
        </Field>
        <Field form={form} name="again" label="Repeat the passphrase">
          {(field) => <PasswordInput {...field} autoComplete="new-password" />}
        </Field>
        <Banner kind="warning">
          Keep it safe. It is not stored anywhere, and the backup cannot be restored without it.
        </Banner>
      </Form>
    </Dialog>
  )
}
