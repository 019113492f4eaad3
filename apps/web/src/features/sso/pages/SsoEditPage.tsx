import type { SsoProvider } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { hasStatus } from '../../../lib/api.ts'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { useHelpFor } from '../../../lib/help-variant.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Field, Form, FormError, setFieldErrors, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { EntryHeader } from '../../../ui/PageHeader.tsx'
import { RadioTiles } from '../../../ui/RadioTiles.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { warningOf } from '../certificates.ts'
import { DomainField } from '../components/DomainField.tsx'
import { GroupRules } from '../components/GroupRules.tsx'
import { LastSignIns } from '../components/LastSignIns.tsx'
import { ProviderCard } from '../components/ProviderCard.tsx'
import { SsoFrame } from '../components/SsoFrame.tsx'
import { faultsOf, type NewProvider, newProvider } from '../sso-form.ts'
import { typeNames } from '../sso-options.ts'
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

const types = ['saml', 'oidc', 'ldap'] as const
const notes = {
  saml: 'Sign-in on the page of the provider, by signed XML.',
  oidc: 'Sign-in on the page of the provider, by OAuth 2.0.',
  ldap: 'The login page takes the password of the directory.',
}
const tiles = types.map((value) => ({ value, title: typeNames[value], description: notes[value] }))

function NewPage() {
  const [asked, setAsked] = useQueryText('type')
  const type = types.find((one) => one === asked) ?? 'saml'
  useHelpFor(type)
  return (
    <Page title="Create new SSO Configuration">
      <Card padded className="max-w-180">
        <FormRow label="Type" group>
          <RadioTiles value={type} onChange={setAsked} tiles={tiles} />
        </FormRow>
        <div className="mt-5">
          <NewForm key={type} type={type} />
        </div>
      </Card>
    </Page>
  )
}

function NewForm({ type }: { type: SsoProvider['type'] }) {
  const navigate = useNavigate()
  const { mutateAsync: make } = useMakeProvider()
  const form = useZodForm(newProvider(type), { defaultValues: { name: '', domainFilter: '' } })
  async function submit({ name, domainFilter }: NewProvider) {
    try {
      const { id } = await make({ name, type, ...(domainFilter === '' ? {} : { domainFilter }) })
      await navigate({ to: '/admin/settings/sso/$id', params: { id }, replace: true })
    } catch (error) {
      setFieldErrors(form, faultsOf(error))
    }
  }
  return (
    <Form form={form} onSubmit={submit}>
      <FormError form={form} />
      <Field form={form} name="name" label="Configuration Name">
        {(field) => <Input {...field} autoComplete="off" />}
      </Field>
      <DomainField form={form} type={type} />
      <SubmitButton form={form} className="self-start">
        Create configuration
      </SubmitButton>
    </Form>
  )
}

function EditPage({ id }: { id: string }) {
  const { data: provider, error, refetch } = useQuery(providerQuery(id))
  useHelpFor(provider?.type)
  const warning = warningOf(provider?.certificates)
  if (hasStatus(error, 404)) return <Navigate to={list.to} replace />
  if (error && !provider) return <PageFailure error={error} onRetry={() => void refetch()} />
  return (
    <Page title="Edit SSO Configuration">
      {warning && (
        <Banner kind="warning">{`${warning}. Import the metadata again, or enter the next certificate.`}</Banner>
      )}
      {provider ? <ProviderCard provider={provider} /> : <SkeletonCard rows={8} />}
      <GroupRules id={id} />
      <LastSignIns id={id} />
    </Page>
  )
}
