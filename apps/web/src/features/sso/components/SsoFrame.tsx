import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Tabs } from '../../../ui/Tabs.tsx'
import { useSettings } from '../../account/index.ts'

const tabs = [
  { to: '/admin/settings/sso', label: 'Configurations', exact: true },
  { to: '/admin/settings/sso/scim', label: 'SCIM' },
]

/** Shows pages of single sign-on while it is on, and leads to the settings where it is not [ASSO-14]. */
export function SsoFrame({ children }: { children: ReactNode }) {
  const settings = useSettings()
  if (!settings) return null
  return settings.features.sso ? children : <Navigate to="/admin/settings" replace />
}

/** The same, with the tabs of the pages beside each other. */
export function SsoTabs({ children }: { children: ReactNode }) {
  return (
    <SsoFrame>
      <div className="mb-5">
        <Tabs label="Single sign-on" items={tabs} />
      </div>
      {children}
    </SsoFrame>
  )
}
