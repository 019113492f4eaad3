import { BadgeCheck } from 'lucide-react'
import { useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { cn } from '../../../lib/cn.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Copyable } from '../../../ui/CopyButton.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { useSettings } from '../../account/index.ts'
import { LicenceDetails } from '../components/LicenceDetails.tsx'
import { LicenceUpdate } from '../components/LicenceUpdate.tsx'
import { useLicence } from '../licence.queries.ts'

/** The licence in force, and how another comes in its place [ALIC-01]. */
export function AdminSettingsLicensePage() {
  usePageTitle('License', 'Settings')
  const { data: licence, error, refetch } = useLicence()
  const [updating, setUpdating] = useState(false)
  if (error && licence === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  if (licence === undefined) return <SkeletonCard rows={4} />
  const update = <Button onClick={() => setUpdating(true)}>Update license</Button>
  if (updating) return <LicenceUpdate onClose={() => setUpdating(false)} />
  if (licence === null) {
    return (
      <EmptyState icon={<BadgeCheck />} title="Community Edition" action={update}>
        This platform has no license. All features work, without limits.
        <PlatformId className="mt-4 justify-center" />
      </EmptyState>
    )
  }
  return (
    <div className="flex flex-col gap-3">
      <Card title="License" end={update}>
        <LicenceDetails licence={licence} />
      </Card>
      <PlatformId className="px-4" />
    </div>
  )
}

/** The id that the vendor needs for a licence bound to this platform. */
function PlatformId({ className }: { className: string }) {
  const id = useSettings()?.['platform:id']
  if (id === undefined) return null
  return (
    <div className={cn('flex flex-wrap items-center gap-x-2 text-muted', className)}>
      Platform ID <Copyable text={id} what="platform ID" />
    </div>
  )
}
