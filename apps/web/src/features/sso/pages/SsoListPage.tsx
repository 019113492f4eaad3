import type { SsoProvider } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { KeyRound, Pencil, Plus, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { hasStatus, sentenceOf } from '../../../lib/api.ts'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { ButtonLink } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { RowMenu } from '../../../ui/RowMenu.tsx'
import { type Column, Table } from '../../../ui/Table.tsx'
import { toast } from '../../../ui/toast.ts'
import { Mark } from '../../users/index.ts'
import { warningOf } from '../certificates.ts'
import { SsoTabs } from '../components/SsoFrame.tsx'
import { typeNames } from '../sso-options.ts'
import { providersQuery, useDeleteProvider } from '../sso.queries.ts'

const deleteWords = (type: SsoProvider['type']) =>
  type === 'saml' ? 'Delete SAML Configuration' : 'Delete Configuration'
const address = (id: string) => `/admin/settings/sso/${id}`

/** The providers of single sign-on [ASSO-01] to [ASSO-05]. */
export function SsoListPage() {
  return (
    <SsoTabs>
      <Providers />
    </SsoTabs>
  )
}

function Providers() {
  usePageTitle('SSO', 'Settings')
  const { data: providers, error, refetch } = useQuery(providersQuery)
  const [text, setText] = useQueryText('q')
  const navigate = useNavigate()
  const { mutateAsync: remove } = useDeleteProvider()
  const columns = useMemo(() => {
    async function end({ id, name, type }: SsoProvider) {
      let endRoles = false
      const sure = await confirm({
        title: deleteWords(type),
        message: (
          <>
            Nobody signs in through <b>{name}</b> any more. Accounts stay. Those that it made have no password: their
            users have to reset it.
          </>
        ),
        option: {
          label: 'Take back the roles that its rules gave',
          help: 'The only owner of a team and the last administrator keep theirs.',
          onChange: (checked) => (endRoles = checked),
        },
        confirmLabel: 'Delete',
        danger: true,
      })
      if (!sure) return
      try {
        await remove({ id, endRoles })
        toast.success(endRoles ? `${name} is deleted, and its roles are being taken back` : `${name} is deleted`)
      } catch (error) {
        // Faults of the server are told for every page.
        if (!hasStatus(error, 500)) toast.warning(sentenceOf(error) ?? 'The configuration could not be deleted')
      }
    }
    return columnsFor({ edit: ({ id }) => void navigate({ to: address(id) }), end: (one) => void end(one) })
  }, [navigate, remove])
  const create = (
    <div className="flex flex-wrap gap-2">
      <ButtonLink to={address('create')} search={{ type: 'oidc' }}>
        Create OpenID Connect or LDAP
      </ButtonLink>
      <ButtonLink to={address('create')} variant="primary" icon={<Plus size={16} aria-hidden />}>
        Create SSO SAML Configuration
      </ButtonLink>
    </div>
  )
  return (
    <>
      <SectionTitle title="SSO Configurations" note="Providers through which people sign in." action={create} />
      {error && !providers ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <SearchInput className="mb-3 sm:max-w-100" label="Search configurations..." value={text} onChange={setText} />
          <Table
            label="SSO Configurations"
            rows={providers}
            columns={columns}
            rowId={({ id }) => id}
            rowTo={({ id }) => address(id)}
            search={text}
            onClearSearch={() => setText('')}
            empty={
              <EmptyState icon={<KeyRound />} title="No SSO configurations">
                Create one for each company or directory whose people sign in with it.
              </EmptyState>
            }
          />
        </>
      )}
    </>
  )
}

function columnsFor(actions: {
  edit: (provider: SsoProvider) => void
  end: (provider: SsoProvider) => void
}): Column<SsoProvider>[] {
  return [
    { id: 'active', header: 'Active', width: 'w-24', cell: ({ active }) => <Mark on={active} /> },
    {
      id: 'name',
      header: 'Configuration Name',
      names: true,
      value: ({ name, type }) => `${name} ${typeNames[type]}`,
      cell: ({ name, type, certificates }) => {
        const warning = warningOf(certificates)
        return (
          <span className="flex flex-col">
            {name} <span className="text-sm text-muted">{typeNames[type]}</span>
            {warning && <span className="text-sm text-warn-text">{warning}</span>}
          </span>
        )
      },
    },
    {
      id: 'domain',
      header: 'Email Domain',
      value: ({ domainFilter }) => domainFilter,
      cell: ({ domainFilter }) => domainFilter ?? <span className="text-muted">Any verified address</span>,
    },
    {
      id: 'menu',
      header: '',
      align: 'end',
      width: 'w-14',
      cell: (provider) => (
        <RowMenu
          name={provider.name}
          items={[
            {
              label: 'Edit Properties',
              icon: <Pencil size={16} aria-hidden />,
              onSelect: () => actions.edit(provider),
            },
            {
              label: deleteWords(provider.type),
              icon: <Trash2 size={16} aria-hidden />,
              danger: true,
              onSelect: () => actions.end(provider),
            },
          ]}
        />
      ),
    },
  ]
}
