import { Navigate, Outlet } from '@tanstack/react-router'
import { useCan } from '../../../lib/can.ts'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { SideTabs } from '../../../ui/SideTabs.tsx'
import { useTeam } from '../team-context.ts'
import { useFeatures } from '../teams.queries.ts'

/** Around the pages of a team's settings, which are for owners [TSET-01] [TSET-02]. */
export function TeamSettingsLayout() {
  const { id, slug } = useTeam()
  const hasDevices = useFeatures(id)?.['devices'] !== false
  if (!useCan('team:edit')) return <Navigate to="/team/$slug/overview" params={{ slug }} replace />
  const base = `/team/${slug}/settings`
  return (
    <>
      <PageHeader title="Team Settings" description="Name, address, provisioning tokens and deletion." />
      <SideTabs
        label="Team settings"
        items={[
          { to: `${base}/general`, label: 'General' },
          ...(hasDevices ? [{ to: `${base}/devices`, label: 'Devices' }] : []),
          { to: `${base}/danger`, label: 'Danger' },
        ]}
      >
        <Outlet />
      </SideTabs>
    </>
  )
}
