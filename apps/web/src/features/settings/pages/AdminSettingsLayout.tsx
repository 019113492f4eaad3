import { Outlet } from '@tanstack/react-router'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { SideTabs } from '../../../ui/SideTabs.tsx'
import { useSettings } from '../../account/index.ts'

/** Around the settings of the platform [ASET-01] [ASET-02]. */
export function AdminSettingsLayout() {
  const sso = useSettings()?.features.sso === true
  return (
    <>
      <PageHeader title="Settings" description="Platform-wide permissions." />
      <SideTabs
        label="Settings"
        items={[
          { to: '/admin/settings/general', label: 'General' },
          { to: '/admin/settings/license', label: 'License' },
          { to: '/admin/settings/email', label: 'Email' },
          ...(sso ? [{ to: '/admin/settings/sso', label: 'SSO' }] : []),
        ]}
      >
        <Outlet />
      </SideTabs>
    </>
  )
}
