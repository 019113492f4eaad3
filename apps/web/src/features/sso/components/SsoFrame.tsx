import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSettings } from '../../account/index.ts'

/** Shows pages of single sign-on while it is on, and leads to the settings where it is not [ASSO-14]. */
export function SsoFrame({ children }: { children: ReactNode }) {
  const settings = useSettings()
  if (!settings) return null
  return settings.features.sso ? children : <Navigate to="/admin/settings" replace />
}
