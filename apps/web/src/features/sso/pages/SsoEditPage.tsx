import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { hasStatus } from '../../../lib/api.ts'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Card } from '../../../ui/Card.tsx'
import { Field, Form, FormError, setFieldErrors, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { EntryHeader } from '../../../ui/PageHeader.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { LastSignIns } from '../components/LastSignIns.tsx'
import { ProviderCard } from '../components/ProviderCard.tsx'
import { SsoFrame } from '../components/SsoFrame.tsx'
import { faultsOf, NewProvider } from '../sso-form.ts'
import { providerQuery, useMakeProvider } from '../sso.queries.ts'

const list = { to: '/admin/settings/sso', label: 'SSO Configurations' }

/** One provider; `create` is a new one [ADM-11] [ASSO-06] to [ASSO-15]. */
export function SsoEditPage() {
  const { id } = useParams({ from: '/platform/admin/settings/sso/$id' })
  return <SsoFrame>{id === 'create' ? <NewPage /> : <EditPage key={id} id={id} />}</SsoFrame>
}

function Page({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title, 'Settings')
  return (
    <div className="flex flex-col gap-5">
      <EntryHeader list={list} title={title} />
      {children}
    </div>
  )
}

function NewPage() {
  const navigate = useNavigate()
  const { mutateAsync: make } = useMakeProvider()
  const form = useZodForm(NewProvider, { defaultValues: { name: '', domainFilter: '' } })
  async function submit(body: NewProvider) {
    try {
      const { id } = await make(body)
      await navigate({ to: '/admin/settings/sso/$id', params: { id }, replace: true })
    } catch (error) {
      setFieldErrors(form, faultsOf(error))
    }
  }
  return (
    <Page title="Create new SSO Configuration">
      <Card padded className="max-w-180">
        <Form form={form} onSubmit={submit}>
          <FormError form={form} />
          <Field form={form} name="name" label="Configuration Name">
            {(field) => <Input {...field} autoComplete="off" />}
          </Field>
          <Field
            form={form}
            name="domainFilter"
            label="Email Domain"
            help="Everybody with such an address signs in through this provider."
          >
            {(field) => <Input {...field} placeholder="@example.com" autoComplete="off" autoCapitalize="none" />}
          </Field>
          <SubmitButton form={form}>Create configuration</SubmitButton>
        </Form>
      </Card>
    </Page>
  )
}

function EditPage({ id }: { id: string }) {
  const { data: provider, error, refetch } = useQuery(providerQuery(id))
  if (hasStatus(error, 404)) return <Navigate to={list.to} replace />
  if (error && !provider) return <PageFailure error={error} onRetry={() => void refetch()} />
  return (
    <Page title="Edit SSO Configuration">
      {provider ? <ProviderCard provider={provider} /> : <SkeletonCard rows={8} />}
      <LastSignIns id={id} />
    </Page>
  )
}
