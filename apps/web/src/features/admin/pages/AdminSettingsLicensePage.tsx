import { BadgeCheck } from 'lucide-react'
import { useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
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
        This platform has no license. Everything works, and nothing is limited.
      </EmptyState>
    )
  }
  return (
    <Card title="License" end={update}>
      <LicenceDetails licence={licence} />
    </Card>
  )
}
