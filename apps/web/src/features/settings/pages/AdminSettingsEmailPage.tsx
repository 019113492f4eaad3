import { Mail } from 'lucide-react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Card } from '../../../ui/Card.tsx'
import { DetailList } from '../../../ui/DetailList.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { useSettings } from '../../account/index.ts'

/** Mail settings, which are set where the server is started [ASET-18] [ASET-19]. */
export function AdminSettingsEmailPage() {
  usePageTitle('Email', 'Settings')
  const settings = useSettings()
  if (!settings) return <SkeletonCard rows={3} />
  const { email } = settings
  if (typeof email !== 'object') {
    return (
      <EmptyState icon={<Mail />} title="Email is not configured">
        People cannot sign up, reset their password or be invited by address. Set FORGE_SMTP_URL and restart the server.
      </EmptyState>
    )
  }
  const { from, smtp } = email
  return (
    <Card title="Email">
      <DetailList
        items={[
          { label: 'From', value: from },
          { label: 'Host', value: smtp.host },
          { label: 'Port', value: String(smtp.port) },
          { label: 'Encrypted', value: smtp.secure ? 'from the start' : 'when the server offers it' },
        ]}
      />
    </Card>
  )
}
