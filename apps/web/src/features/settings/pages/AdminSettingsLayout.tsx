import { Outlet } from '@tanstack/react-router'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { SideTabs } from '../../../ui/SideTabs.tsx'

/** Around the settings of the platform [ASET-01]. */
export function AdminSettingsLayout() {
  return (
    <>
      <PageHeader title="Settings" description="Platform-wide permissions." />
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
