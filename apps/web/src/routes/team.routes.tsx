import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage as lazy } from '../lib/lazy-page.ts'
import { platform } from './frames.tsx'

const team = createRoute({
  getParentRoute: () => platform,
  path: '/team/$slug',
  remountDeps: ({ params }) => params,
  component: lazy(() => import('../features/teams/pages/TeamLayout.tsx'), 'TeamLayout'),
})
const toApplications = ({ params }: { params: { slug: string } }) => {
  redirect({ to: '/team/$slug/applications', params, replace: true, throw: true })
}
const teamPages = [
  createRoute({ getParentRoute: () => team, path: '/', beforeLoad: toApplications }),
  createRoute({ getParentRoute: () => team, path: 'overview', beforeLoad: toApplications }),
  createRoute({
    getParentRoute: () => team,
    path: 'applications',
    staticData: { help: 'concepts#application' },
    component: lazy(() => import('../features/applications/pages/TeamApplicationsPage.tsx'), 'TeamApplicationsPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'applications/create',
    staticData: { help: 'concepts#application' },
    component: lazy(() => import('../features/applications/pages/CreateApplicationPage.tsx'), 'CreateApplicationPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'instances',
    staticData: { help: 'concepts#instance' },
    component: lazy(() => import('../features/applications/pages/TeamInstancesPage.tsx'), 'TeamInstancesPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'instances/create',
    staticData: { help: 'first-flow#create-an-instance' },
    beforeLoad: ({ preload, context, params }) => {
      // Back from the form for an application must not lead into its own redirect again [INST-02].
      const from = preload ? undefined : context.cameFrom()
      if (from === `/team/${params.slug}/applications/create`) redirect({ to: '/', replace: true, throw: true })
    },
    component: lazy(() => import('../features/applications/pages/CreateInstancePage.tsx'), 'CreateInstancePage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'devices',
    staticData: { help: 'devices' },
    component: lazy(() => import('../features/devices/pages/TeamDevicesPage.tsx'), 'TeamDevicesPage'),
  }),
  ...['library', 'library/$'].map((path) =>
    createRoute({
      getParentRoute: () => team,
      path,
      staticData: { help: 'library' },
      component: lazy(() => import('../features/library/pages/TeamLibraryPage.tsx'), 'TeamLibraryPage'),
    }),
  ),
  createRoute({
    getParentRoute: () => team,
    path: 'performance',
    staticData: { help: 'metrics#all-instances' },
    component: lazy(() => import('../features/metrics/pages/TeamPerformancePage.tsx'), 'TeamPerformancePage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'audit-log',
    staticData: { help: 'audit#read-it' },
    component: lazy(() => import('../features/teams/pages/TeamAuditLogPage.tsx'), 'TeamAuditLogPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'billing',
    staticData: { help: 'billing#pay-for-a-team' },
    component: lazy(() => import('../features/billing/pages/TeamBillingPage.tsx'), 'TeamBillingPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'members',
    beforeLoad: ({ params }) => {
      redirect({ to: '/team/$slug/members/general', params, replace: true, throw: true })
    },
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'members/general',
    staticData: { help: 'teams#roles' },
    component: lazy(() => import('../features/teams/pages/TeamMembersPage.tsx'), 'TeamMembersPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'members/invitations',
    staticData: { help: 'teams#invite-people' },
    component: lazy(() => import('../features/invitations/pages/TeamInvitationsPage.tsx'), 'TeamInvitationsPage'),
  }),
] as const

const teamSettings = createRoute({
  getParentRoute: () => team,
  path: 'settings',
  component: lazy(() => import('../features/teams/pages/TeamSettingsLayout.tsx'), 'TeamSettingsLayout'),
})
const teamSettingsPages = [
  createRoute({
    getParentRoute: () => teamSettings,
    path: '/',
    beforeLoad: ({ params }) => {
      redirect({ to: '/team/$slug/settings/general', params, replace: true, throw: true })
    },
  }),
  createRoute({
    getParentRoute: () => teamSettings,
    path: 'general',
    staticData: { help: 'teams#team-settings' },
    component: lazy(() => import('../features/teams/pages/TeamSettingsGeneralPage.tsx'), 'TeamSettingsGeneralPage'),
  }),
  createRoute({
    getParentRoute: () => teamSettings,
    path: 'devices',
    staticData: { help: 'devices#let-many-devices-register-themselves' },
    component: lazy(() => import('../features/devices/pages/TeamProvisioningPage.tsx'), 'TeamProvisioningPage'),
  }),
  createRoute({
    getParentRoute: () => teamSettings,
    path: 'danger',
    staticData: { help: 'teams#team-settings' },
    component: lazy(() => import('../features/teams/pages/TeamSettingsDangerPage.tsx'), 'TeamSettingsDangerPage'),
  }),
] as const

/** The pages of a team. */
export const teamRoutes = team.addChildren([...teamPages, teamSettings.addChildren(teamSettingsPages)])
