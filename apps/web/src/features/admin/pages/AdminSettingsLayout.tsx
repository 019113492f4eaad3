import { Outlet } from '@tanstack/react-router'
import { NoAccess } from '../../../lib/api-failure.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { SideTabs } from '../../../ui/SideTabs.tsx'
import { useUser } from '../../account/index.ts'

/** Around the settings of the platform [ASET-01]. */
export function AdminSettingsLayout() {
  const { admin } = useUser()
  if (!admin) return <NoAccess>Only administrators change the settings of the platform.</NoAccess>
  return (
    <>
      <PageHeader title="Settings" description="What people may do on this platform." />
      <SideTabs
        label="Settings"
        items={[
          { to: '/admin/settings/general', label: 'General' },
          { to: '/admin/settings/license', label: 'License' },
          { to: '/admin/settings/email', label: 'Email' },
        ]}
      >
        <Outlet />
      </SideTabs>
    </>
  )
}
