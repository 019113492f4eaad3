import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage as lazy } from '../lib/lazy-page.ts'
import { platform } from './frames.tsx'

const admin = createRoute({ getParentRoute: () => platform, path: '/admin', staticData: { area: 'admin' } })
const adminSettings = createRoute({
  getParentRoute: () => admin,
  path: 'settings',
  component: lazy(() => import('../features/admin/pages/AdminSettingsLayout.tsx'), 'AdminSettingsLayout'),
})
const toAdminSettings = () => void redirect({ to: '/admin/settings/general', replace: true, throw: true })
const adminPages = [
  createRoute({ getParentRoute: () => admin, path: '/', beforeLoad: toAdminSettings }),
  createRoute({
    getParentRoute: () => admin,
    path: 'audit-log',
    component: lazy(() => import('../features/admin/pages/AdminAuditLogPage.tsx'), 'AdminAuditLogPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'statistics',
    component: lazy(() => import('../features/admin/pages/AdminStatisticsPage.tsx'), 'AdminStatisticsPage'),
  }),
] as const
const adminSettingsPages = [
  createRoute({ getParentRoute: () => adminSettings, path: '/', beforeLoad: toAdminSettings }),
  createRoute({
    getParentRoute: () => adminSettings,
    path: 'general',
    component: lazy(() => import('../features/admin/pages/AdminSettingsGeneralPage.tsx'), 'AdminSettingsGeneralPage'),
  }),
  createRoute({
    getParentRoute: () => adminSettings,
    path: 'license',
    component: lazy(() => import('../features/admin/pages/AdminSettingsLicensePage.tsx'), 'AdminSettingsLicensePage'),
  }),
  createRoute({
    getParentRoute: () => adminSettings,
    path: 'email',
    component: lazy(() => import('../features/admin/pages/AdminSettingsEmailPage.tsx'), 'AdminSettingsEmailPage'),
  }),
] as const

/** The pages of administrators. */
export const adminRoutes = admin.addChildren([...adminPages, adminSettings.addChildren(adminSettingsPages)])
