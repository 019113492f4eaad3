import { capital, type Stats } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { Box, Cpu, Info, ScrollText, UserRound, UsersRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { formatDate, formatRelative } from '../../../lib/dates.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Card } from '../../../ui/Card.tsx'
import { type Detail, DetailList } from '../../../ui/DetailList.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { useSettings } from '../../account/index.ts'
import { useLicence } from '../../settings/index.ts'
import { statsQuery } from '../../users/index.ts'

const number = new Intl.NumberFormat()
/** Nothing is limited unless a licence says so. */
const most = (max: number | null) => (max === null ? 'Unlimited' : number.format(max))

/** Counts of the platform [ADM-12] to [ADM-20]. */
export function AdminOverviewPage() {
  usePageTitle('Overview', 'Admin')
  const { data: stats, error, refetch } = useQuery(statsQuery)
  return (
    <>
      <PageHeader title="Admin Settings" description="The platform at a glance." />
      {error && !stats ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : stats ? (
        <Figures stats={stats} />
      ) : (
        <SkeletonCard rows={6} />
      )}
    </>
  )
}

function Figures({ stats }: { stats: Stats }) {
  const states = Object.entries(stats.instancesByState).toSorted(([a], [b]) => a.localeCompare(b))
  return (
    <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
      <Figure
        title="Users"
        icon={<UserRound size={18} aria-hidden className="text-muted" />}
        to="/admin/users/general"
        items={[
          { label: 'Users', value: number.format(stats.userCount) },
          { label: 'Maximum', value: most(stats.maxUsers) },
          { label: 'Admins', value: number.format(stats.adminCount) },
          {
            label: 'Invites',
            value: <TextLink to="/admin/users/invitations">{number.format(stats.inviteCount)} open</TextLink>,
          },
        ]}
      />
      <Figure
        title="Teams"
        icon={<UsersRound size={18} aria-hidden className="text-muted" />}
        to="/admin/teams"
        items={[
          { label: 'Teams', value: number.format(stats.teamCount) },
          { label: 'Maximum', value: most(stats.maxTeams) },
        ]}
      />
      <Figure
        title="Instances"
        icon={<Box size={18} aria-hidden className="text-muted" />}
        items={[
          { label: 'Instances', value: number.format(stats.instanceCount) },
          { label: 'Maximum', value: most(stats.maxInstances) },
          ...states.map(([state, n]) => ({ label: capital(state), value: number.format(n) })),
        ]}
      />
      <Figure
        title="Devices"
        icon={<Cpu size={18} aria-hidden className="text-muted" />}
        items={[
          { label: 'Devices', value: number.format(stats.deviceCount) },
          { label: 'Maximum', value: most(stats.maxDevices) },
        ]}
      />
      <Platform />
    </div>
  )
}

function Figure({ title, icon, to, items }: { title: string; icon: ReactNode; to?: string; items: Detail[] }) {
  return (
    <Card title={title} icon={icon} end={to && <TextLink to={to}>All {title.toLowerCase()}</TextLink>}>
      <DetailList items={items} />
    </Card>
  )
}

function Platform() {
  const settings = useSettings()
  const { data: licence } = useLicence(settings !== undefined && settings.license.type !== 'CE')
  if (!settings) return null
  const { type, expiresAt } = settings.license
  const organisation = licence ? [{ label: 'Organisation', value: licence.organisation }] : []
  const expires = { label: 'Expires', value: `${formatDate(expiresAt)}, ${formatRelative(expiresAt)}` }
  const edition = { CE: 'Community Edition', EE: 'FlowForge Enterprise Edition', DEV: 'FlowForge Development Only' }[
    type
  ]
  return (
    <>
      <Figure
        title="License"
        icon={<ScrollText size={18} aria-hidden className="text-muted" />}
        items={[{ label: 'Edition', value: edition }, ...(type === 'CE' ? [] : [...organisation, expires])]}
      />
      <Figure
        title="Version"
        icon={<Info size={18} aria-hidden className="text-muted" />}
        items={[
          { label: 'FlowForge', value: settings['version:forge'] },
          { label: 'Node.js', value: settings['version:node'] },
        ]}
      />
    </>
  )
}
