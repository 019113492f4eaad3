import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage as lazy } from '../lib/lazy-page.ts'
import { platform } from './frames.tsx'

const admin = createRoute({
  getParentRoute: () => platform,
  path: '/admin',
  staticData: { area: 'admin' },
  component: lazy(() => import('../features/console/pages/AdminLayout.tsx'), 'AdminLayout'),
})
const adminSettings = createRoute({
  getParentRoute: () => admin,
  path: 'settings',
  component: lazy(() => import('../features/settings/pages/AdminSettingsLayout.tsx'), 'AdminSettingsLayout'),
})
const toAdminSettings = () => void redirect({ to: '/admin/settings/general', replace: true, throw: true })
const adminPages = [
  createRoute({
    getParentRoute: () => admin,
    path: '/',
    beforeLoad: () => void redirect({ to: '/admin/overview', replace: true, throw: true }),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'overview',
    staticData: { help: 'platform-settings#overview' },
    component: lazy(() => import('../features/stats/pages/AdminOverviewPage.tsx'), 'AdminOverviewPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'users',
    beforeLoad: () => void redirect({ to: '/admin/users/general', replace: true, throw: true }),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'users/general',
    staticData: { help: 'users' },
    component: lazy(() => import('../features/users/pages/AdminUsersPage.tsx'), 'AdminUsersPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'users/invitations',
    staticData: { help: 'teams#invite-people' },
    component: lazy(() => import('../features/invitations/pages/AdminInvitationsPage.tsx'), 'AdminInvitationsPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'users/create',
    staticData: { help: 'users#add-people' },
    component: lazy(() => import('../features/users/pages/AdminCreateUserPage.tsx'), 'AdminCreateUserPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'users/$userId',
    staticData: { help: 'users#help-somebody-to-sign-in' },
    remountDeps: ({ params }) => params,
    component: lazy(() => import('../features/users/pages/AdminUserPage.tsx'), 'AdminUserPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'teams',
    staticData: { help: 'platform-settings#teams' },
    component: lazy(() => import('../features/teams/pages/AdminTeamsPage.tsx'), 'AdminTeamsPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'team-types',
    staticData: { help: 'team-types' },
    component: lazy(() => import('../features/team-types/pages/TeamTypesPage.tsx'), 'TeamTypesPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'audit-log',
    staticData: { help: 'audit' },
    component: lazy(() => import('../features/audit/pages/AdminAuditLogPage.tsx'), 'AdminAuditLogPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'statistics',
    staticData: { help: 'platform-settings#statistics' },
    component: lazy(() => import('../features/stats/pages/AdminStatisticsPage.tsx'), 'AdminStatisticsPage'),
  }),
] as const
const adminSettingsPages = [
  createRoute({ getParentRoute: () => adminSettings, path: '/', beforeLoad: toAdminSettings }),
  createRoute({
    getParentRoute: () => adminSettings,
    path: 'general',
    staticData: { help: 'platform-settings#general-settings' },
    component: lazy(
      () => import('../features/settings/pages/AdminSettingsGeneralPage.tsx'),
      'AdminSettingsGeneralPage',
    ),
  }),
  createRoute({
    getParentRoute: () => adminSettings,
    path: 'license',
    staticData: { help: 'licence' },
    component: lazy(
      () => import('../features/settings/pages/AdminSettingsLicensePage.tsx'),
      'AdminSettingsLicensePage',
    ),
  }),
  createRoute({
    getParentRoute: () => adminSettings,
    path: 'email',
    staticData: { help: 'mail' },
    component: lazy(() => import('../features/settings/pages/AdminSettingsEmailPage.tsx'), 'AdminSettingsEmailPage'),
  }),
  createRoute({
    getParentRoute: () => adminSettings,
    path: 'sso',
    staticData: { help: 'single-sign-on' },
    component: lazy(() => import('../features/sso/pages/SsoListPage.tsx'), 'SsoListPage'),
  }),
  createRoute({
    getParentRoute: () => adminSettings,
    path: 'sso/scim',
    staticData: { help: 'scim' },
    component: lazy(() => import('../features/scim/pages/ScimPage.tsx'), 'ScimPage'),
  }),
  createRoute({
    getParentRoute: () => adminSettings,
    path: 'sso/$id',
    staticData: {
      help: 'single-sign-on',
      helpFor: { saml: 'single-sign-on#set-up-saml', oidc: 'openid-connect', ldap: 'ldap' },
    },
    remountDeps: ({ params }) => params,
    component: lazy(() => import('../features/sso/pages/SsoEditPage.tsx'), 'SsoEditPage'),
  }),
] as const

const operationPages = [
  createRoute({
    getParentRoute: () => admin,
    path: 'health',
    staticData: { help: 'health' },
    component: lazy(() => import('../features/health/pages/HealthPage.tsx'), 'HealthPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'jobs',
    staticData: { help: 'health#jobs' },
    component: lazy(() => import('../features/health/pages/JobsPage.tsx'), 'JobsPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'backups',
    staticData: { help: 'backup' },
    component: lazy(() => import('../features/backup/pages/BackupsPage.tsx'), 'BackupsPage'),
  }),
] as const

const catalogue = () => import('../features/catalogue/pages/index.ts')
const template = createRoute({
  getParentRoute: () => admin,
  path: 'templates/$templateId',
  component: lazy(catalogue, 'TemplatePage'),
})
const templatePages = [
  createRoute({
    getParentRoute: () => template,
    path: '/',
    beforeLoad: ({ params }) =>
      void redirect({ to: '/admin/templates/$templateId/settings', params, replace: true, throw: true }),
  }),
  createRoute({ getParentRoute: () => template, path: 'settings', staticData: { help: 'catalogue#templates' } }),
  createRoute({ getParentRoute: () => template, path: 'security', staticData: { help: 'catalogue#templates' } }),
  createRoute({ getParentRoute: () => template, path: 'environment', staticData: { help: 'catalogue#templates' } }),
  createRoute({ getParentRoute: () => template, path: 'palette', staticData: { help: 'catalogue#templates' } }),
] as const
const cataloguePages = [
  createRoute({
    getParentRoute: () => admin,
    path: 'instance-types',
    staticData: { help: 'catalogue#instance-types' },
    component: lazy(catalogue, 'InstanceTypesPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'stacks',
    staticData: { help: 'catalogue#stacks' },
    component: lazy(catalogue, 'StacksPage'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: 'templates',
    staticData: { help: 'catalogue#templates' },
    component: lazy(catalogue, 'TemplatesPage'),
  }),
  template.addChildren(templatePages),
] as const

/** The pages of administrators. */
export const adminRoutes = admin.addChildren([
  ...adminPages,
  ...operationPages,
  ...cataloguePages,
  adminSettings.addChildren(adminSettingsPages),
])
