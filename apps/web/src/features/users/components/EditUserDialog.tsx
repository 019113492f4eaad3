import type { AdminUser } from '@app/contract'
import { Lock, LockOpen } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { type FieldPath, useController, useWatch } from 'react-hook-form'
import { ApiError, sentenceOf } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, Form, type FormOf, setFieldErrors, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { useChangeUser, useRemoveUser } from '../users.queries.ts'
import { changeFailure, EditedUser, editedOf, patchOf, warnOfChange } from '../user-forms.ts'

/** The form of an administrator for another user [AUSER-13]. Harmful fields are locked at first [AUSER-14]. */
export function EditUserDialog({
  user,
  onClose,
  onDeleted,
}: {
  user: AdminUser
  onClose: () => void
  /** Where the page behind is about this user. */
  onDeleted?: () => void
}) {
  const [locked, setLocked] = useState(true)
  const [faults, setFaults] = useState<{ password?: string; remove?: string }>({})
  const { mutateAsync: change, isPending } = useChangeUser(user.id)
  const { mutateAsync: remove, isPending: removing } = useRemoveUser()
  const form = useZodForm(EditedUser, { defaultValues: editedOf(user) })
  const { isDirty, isSubmitting } = form.formState
  // A refusal of the server does not count: what failed there may be tried again as it is.
  const isValid = EditedUser.safeParse(useWatch({ control: form.control })).success
  const id = useId()
  const bySso = user.sso_enabled === true

  async function submit(values: EditedUser) {
    setFaults({})
    try {
      await change(patchOf(user, values))
      toast.success('User updated')
      onClose()
    } catch (error) {
      if (!(error instanceof ApiError)) return
      const faultsByField = changeFailure(error.reply)
      if (typeof faultsByField === 'string') return warnOfChange(faultsByField)
      if (faultsByField.password) setFaults({ password: faultsByField.password })
      else setFieldErrors(form, faultsByField)
    }
  }

  async function expire() {
    setFaults({})
    try {
      await change({ password_expired: true })
      toast.success('The password has to be changed at the next sign-in')
      onClose()
    } catch (error) {
      setFaults({ password: sentenceOf(error) ?? 'The password could not be expired' })
    }
  }

  async function end() {
    setFaults({})
    const sure = await confirm({
      title: 'Delete User',
      message: (
        <>
          <b>{user.name}</b> is deleted permanently, with their sessions, tokens and memberships. What they created in
          teams stays.
        </>
      ),
      confirmLabel: 'Delete',
      danger: true,
      typed: user.username,
    })
    if (!sure) return
    try {
      await remove(user.id)
      toast.success(`${user.username} is deleted`)
      onClose()
      onDeleted?.()
    } catch (error) {
      setFaults({ remove: sentenceOf(error) ?? 'The user could not be deleted' })
    }
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Edit User"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={id} disabled={!isDirty || !isValid} loading={isSubmitting}>
            Save
          </Button>
        </>
      }
    >
      <Form form={form} id={id} onSubmit={submit} className="flex flex-col gap-4">
        <Field form={form} name="username" label="Username">
          {(field) => <Input {...field} autoComplete="off" autoCapitalize="none" spellCheck={false} />}
        </Field>
        <Field form={form} name="name" label="Name" help="Defaults to the username.">
          {(field) => <Input {...field} autoComplete="off" />}
        </Field>
        <Field
          form={form}
          name="email"
          label="Email"
          disabled={bySso}
          help={
            bySso ? 'Cannot modify email for SSO enabled user' : 'Takes effect at once. The former address is notified.'
          }
        >
          {(field) => <Input {...field} type="email" autoComplete="off" />}
        </Field>
      </Form>
      <Sensitive locked={locked} onUnlock={() => setLocked(false)}>
        <Flag form={form} name="email_verified" label="Verified" disabled={locked} />
        <Flag
          form={form}
          name="admin"
          label="Administrator"
          help="Sees and changes everything on this platform."
          disabled={locked}
        />
        <Flag
          form={form}
          name="suspended"
          label="Suspended"
          help="Signed out everywhere at once, and cannot sign in."
          disabled={locked}
        />
        <Deed
          title="Expire Password"
          help="They must choose a new one before they can continue."
          fault={faults.password}
          button={
            <Button disabled={locked} loading={isPending} onClick={() => void expire()}>
              Expire Password
            </Button>
          }
        />
        <Deed
          title="Delete User"
          help="Not possible for the only owner of a team."
          fault={faults.remove}
          button={
            <Button variant="danger" disabled={locked} loading={removing} onClick={() => void end()}>
              Delete User
            </Button>
          }
        />
      </Sensitive>
    </Dialog>
  )
}

function Sensitive({ locked, onUnlock, children }: { locked: boolean; onUnlock: () => void; children: ReactNode }) {
  return (
    <section aria-label="Sensitive settings" className="flex flex-col gap-3.5 rounded-lg border p-3.5">
      <div className="flex items-center gap-3">
        <span className="min-w-0 flex-1 text-muted">
          {locked ? 'Locked to prevent accidents.' : 'Unlocked: take care.'}
        </span>
        <Button
          size="sm"
          disabled={!locked}
          icon={locked ? <Lock size={14} aria-hidden /> : <LockOpen size={14} aria-hidden />}
          onClick={onUnlock}
        >
          {locked ? 'Unlock' : 'Unlocked'}
        </Button>
      </div>
      {children}
    </section>
  )
}

function Flag({
  form,
  name,
  ...text
}: {
  form: FormOf<EditedUser>
  name: FieldPath<EditedUser>
  label: string
  help?: string
  disabled: boolean
}) {
  const {
    field: { value, onChange },
    fieldState,
  } = useController({ control: form.control, name })
  return (
    <div>
      <Checkbox {...text} checked={value === true} onChange={onChange} />
      <Fault text={fieldState.error?.message} />
    </div>
  )
}

function Deed(props: { title: string; help: string; fault: string | undefined; button: ReactNode }) {
  return (
    <div className="border-t pt-3.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-48">
          <div>{props.title}</div>
          <div className="text-sm text-muted">{props.help}</div>
        </div>
        {props.button}
      </div>
      <Fault text={props.fault} />
    </div>
  )
}

const Fault = ({ text }: { text: string | undefined }) => (
  <div aria-live="polite">{text && <p className="mt-1.5 text-sm text-bad-text">{text}</p>}</div>
)
