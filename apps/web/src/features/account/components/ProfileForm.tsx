import { useEffect } from 'react'
import { ApiError, sentenceOf } from '../../../lib/api.ts'
import { useUnsavedGuard } from '../../../lib/use-unsaved-guard.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Field, Form, FormError, setFieldErrors, settle, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { Profile } from '../fields.ts'
import { changesOf, savedToasts } from '../profile.ts'
import { useCancelEmailChange, useResendEmailChange, useUpdateUser } from '../profile.queries.ts'
import { profileFailure } from '../refusals.ts'
import { useUser } from '../user-context.ts'

/** User name, name and e-mail address. Only what changed is sent; a new address counts once it is confirmed. */
export function ProfileForm() {
  const user = useUser()
  const { mutateAsync: save } = useUpdateUser({ caught: true })
  const { username, name, email } = user
  const form = useZodForm(Profile, { defaultValues: { username, name, email } })
  const { isDirty, isSubmitting } = form.formState
  const { reset } = form
  // Changes made elsewhere, such as an address confirmed in another tab.
  useEffect(() => {
    if (!isDirty) reset({ username, name, email })
  }, [isDirty, reset, username, name, email])
  useUnsavedGuard(isDirty && !isSubmitting)

  async function submit(values: Profile) {
    const patch = changesOf(user, values)
    try {
      const saved = await save(patch)
      settle(form, values, { username: saved.username, name: saved.name, email: saved.email })
      for (const { kind, message, countdown } of savedToasts(patch, saved)) toast[kind](message, { countdown })
    } catch (error) {
      if (!(error instanceof ApiError)) return
      const faultsByField = profileFailure({ code: error.code, fields: error.fields, sentence: sentenceOf(error) })
      if (faultsByField) setFieldErrors(form, faultsByField)
      else toast.warning('Error updating user')
    }
  }

  return (
    <Card title="Profile" padded>
      <Form form={form} onSubmit={submit}>
        <FormError form={form} />
        <Field form={form} name="username" label="Username">
          {(field) => <Input {...field} autoComplete="username" autoCapitalize="none" spellCheck={false} />}
        </Field>
        <Field form={form} name="name" label="Full name">
          {(field) => <Input {...field} autoComplete="name" />}
        </Field>
        <Field
          form={form}
          name="email"
          label="Email"
          disabled={user.sso_enabled === true}
          help={
            user.sso_enabled
              ? 'Cannot modify email for SSO enabled user'
              : 'We mail a link to the new address. The change takes effect when you follow it.'
          }
        >
          {(field) => <Input {...field} type="email" autoComplete="email" />}
        </Field>
        {user.pendingEmailChange && <PendingChange address={user.pendingEmail} />}
        <div className="flex gap-3">
          <SubmitButton form={form} disabled={!isDirty}>
            Save changes
          </SubmitButton>
          {isDirty && (
            <Button variant="ghost" onClick={() => form.reset()}>
              Discard
            </Button>
          )}
        </div>
      </Form>
    </Card>
  )
}

/** A new address is not confirmed yet. */
function PendingChange({ address }: { address: string | undefined }) {
  const { mutate: resend, isPending } = useResendEmailChange()
  const { mutate: cancel, isPending: ending } = useCancelEmailChange()
  return (
    <Banner
      action={
        <span className="flex gap-2">
          <Button
            size="sm"
            loading={isPending}
            onClick={() => resend(undefined, { onSuccess: () => toast.success('The link is on its way.') })}
          >
            Send again
          </Button>
          <Button size="sm" loading={ending} onClick={() => cancel()}>
            Cancel Change
          </Button>
        </span>
      }
    >
      <b className="font-medium wrap-anywhere">{address ?? 'A new address'}</b> is not confirmed yet. Follow the link in
      the mail we sent to it.
    </Banner>
  )
}
