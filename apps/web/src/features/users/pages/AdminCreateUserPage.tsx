import { useNavigate } from '@tanstack/react-router'
import { ApiError } from '../../../lib/api.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Breadcrumb } from '../../../ui/Breadcrumb.tsx'
import { ButtonLink } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Field, Form, FormError, setFieldErrors, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { toast } from '../../../ui/toast.ts'
import { Controller, useWatch } from 'react-hook-form'
import { useMakeUser } from '../users.queries.ts'
import { creationFailure, NewUser } from '../user-forms.ts'

const empty: NewUser = {
  username: '',
  name: '',
  email: '',
  password: '',
  confirm: '',
  isAdmin: false,
  createDefaultTeam: true,
  password_expired: true,
}

const flags = [
  { name: 'isAdmin', label: 'Administrator', help: 'Sees and changes everything on this platform.' },
  {
    name: 'createDefaultTeam',
    label: 'Create personal team',
    help: 'A user needs to be in a team to create projects',
  },
  {
    name: 'password_expired',
    label: 'Ask for a new password at the first sign-in',
    help: 'So that only they know it.',
  },
] as const

/** Makes an account for somebody [AUSER-16] [AUSER-17]. */
export function AdminCreateUserPage() {
  usePageTitle('Create User', 'Admin')
  const navigate = useNavigate()
  const { mutateAsync: make } = useMakeUser()
  const form = useZodForm(NewUser, { defaultValues: empty })
  // A refusal of the server does not count: what failed there may be tried again as it is.
  const isValid = NewUser.safeParse(useWatch({ control: form.control })).success

  async function submit({ confirm: _confirm, ...body }: NewUser) {
    try {
      const user = await make(body)
      toast.success(`${user.username} can sign in now.`)
      await navigate({ to: '/admin/users/$userId', params: { userId: user.id } })
    } catch (error) {
      if (error instanceof ApiError) setFieldErrors(form, creationFailure(error.reply))
    }
  }

  return (
    <>
      <PageHeader
        title="Create New User"
        description="They can sign in at once; their email address counts as verified."
        breadcrumb={<Breadcrumb items={[{ label: 'Users', to: '/admin/users/general' }]} />}
      />
      <Card padded className="max-w-180">
        <Form form={form} onSubmit={submit}>
          <FormError form={form} />
          <Field form={form} name="username" label="Username">
            {(field) => <Input {...field} autoComplete="off" autoCapitalize="none" spellCheck={false} />}
          </Field>
          <Field form={form} name="name" label="Full name" help="Optional. Defaults to the username.">
            {(field) => <Input {...field} autoComplete="off" />}
          </Field>
          <Field form={form} name="email" label="Email">
            {(field) => <Input {...field} type="email" autoComplete="off" />}
          </Field>
          <Field form={form} name="password" label="Password" help="At least 8 characters.">
            {(field) => <PasswordInput {...field} autoComplete="new-password" />}
          </Field>
          <Field form={form} name="confirm" label="Confirm password">
            {(field) => <PasswordInput {...field} autoComplete="new-password" />}
          </Field>
          {flags.map(({ name, ...text }) => (
            <Controller
              key={name}
              control={form.control}
              name={name}
              render={({ field }) => <Checkbox {...text} checked={field.value} onChange={field.onChange} />}
            />
          ))}
          <div className="flex gap-3">
            <SubmitButton form={form} disabled={!isValid}>
              Create User
            </SubmitButton>
            <ButtonLink to="/admin/users/general" variant="ghost">
              Cancel
            </ButtonLink>
          </div>
        </Form>
      </Card>
    </>
  )
}
