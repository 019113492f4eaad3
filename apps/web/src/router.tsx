import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  useMatches,
} from '@tanstack/react-router'
import { Gates } from './features/account/index.ts'
import { PlatformLayout } from './features/console/index.ts'
import { Enrolment, SecondStep } from './features/second-factor/index.ts'
import { SetupNeeded } from './features/setup/index.ts'
import { lazyPage as lazy } from './lib/lazy-page.ts'
import { Loading } from './ui/Loading.tsx'
import { NotFound } from './shell/NotFound.tsx'
import { UiHost } from './ui/UiHost.tsx'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Needs nobody to be signed in. */
    isPublic?: boolean
    /** Verifies an e-mail address, so it is not stopped for the lack of that [SHELL-14]. */
    isVerifyPage?: boolean
    /** The part of the console whose side menu stands beside the page, where that is not a team's. */
    area?: 'account' | 'admin'
  }
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}

/** The path that was shown before the one being loaded. */
type RouteContext = { cameFrom: () => string | undefined }

const root = createRootRouteWithContext<RouteContext>()({ component: Root, notFoundComponent: () => <NotFound /> })

function Root() {
  const isPublic = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.isPublic) })
  const isVerifyPage = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.isVerifyPage) })
  return (
    <UiHost>
      <Gates
        isPublic={isPublic}
        isVerifyPage={isVerifyPage}
        setup={<SetupNeeded />}
        secondStep={(back) => <SecondStep onBack={back} />}
        enrolment={<Enrolment />}
      >
        <Outlet />
      </Gates>
    </UiHost>
  )
}

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  staticData: { isPublic: true },
  component: lazy(() => import('./features/setup/pages/SetupPage.tsx'), 'SetupPage'),
})

const accountPages = [
  createRoute({
    getParentRoute: () => root,
    path: '/account/request/$id',
    component: lazy(() => import('./features/account/pages/AccessRequestPage.tsx'), 'AccessRequestPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/request/$id/editor',
    component: lazy(() => import('./features/account/pages/EditorAccessPage.tsx'), 'EditorAccessPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/create',
    staticData: { isPublic: true },
    component: lazy(() => import('./features/account/pages/SignUpPage.tsx'), 'SignUpPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/verify/$token',
    staticData: { isPublic: true, isVerifyPage: true },
    component: lazy(() => import('./features/account/pages/VerifyPage.tsx'), 'VerifyPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/email_change/$token',
    component: lazy(() => import('./features/account/pages/EmailChangePage.tsx'), 'EmailChangePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/forgot-password',
    staticData: { isPublic: true },
    component: lazy(() => import('./features/account/pages/ForgotPasswordPage.tsx'), 'ForgotPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/change-password/$token',
    staticData: { isPublic: true },
    component: lazy(() => import('./features/account/pages/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/logout',
    staticData: { isPublic: true },
    component: lazy(() => import('./features/account/pages/LogoutPage.tsx'), 'LogoutPage'),
  }),
] as const

const help = createRoute({
  getParentRoute: () => root,
  path: '/help',
  staticData: { isPublic: true },
  component: lazy(() => import('./features/console/pages/HelpPage.tsx'), 'HelpPage'),
})

const platform = createRoute({ getParentRoute: () => root, id: 'platform', component: PlatformLayout })

const platformPages = [
  createRoute({
    getParentRoute: () => platform,
    path: '/',
    component: lazy(() => import('./features/teams/pages/HomePage.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute: () => platform,
    path: '/team/create',
    component: lazy(() => import('./features/teams/pages/CreateTeamPage.tsx'), 'CreateTeamPage'),
  }),
  createRoute({
    getParentRoute: () => platform,
    path: '/project/$instanceId/$',
    beforeLoad: ({ params }) => {
      // What instances were called once; what follows the id stays.
      redirect({ href: `/instance/${params.instanceId}/${params._splat ?? ''}`, replace: true, throw: true })
    },
  }),
  createRoute({
    getParentRoute: () => platform,
    path: '/login',
    // The login stands before every page; who asks for it by name goes home afterwards.
    beforeLoad: () => void redirect({ to: '/', replace: true, throw: true }),
  }),
  createRoute({ getParentRoute: () => platform, path: '$', component: () => <NotFound /> }),
] as const

const account = createRoute({ getParentRoute: () => platform, path: '/account', staticData: { area: 'account' } })
const settingsPages = [
  createRoute({
    getParentRoute: () => account,
    path: '/',
    beforeLoad: () => void redirect({ to: '/account/settings', replace: true, throw: true }),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'settings',
    component: lazy(() => import('./features/account/pages/AccountSettingsPage.tsx'), 'AccountSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'teams',
    component: lazy(() => import('./features/teams/pages/MyTeamsPage.tsx'), 'MyTeamsPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'teams/invitations',
    component: lazy(() => import('./features/teams/pages/InvitationsPage.tsx'), 'InvitationsPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'security',
    beforeLoad: () => void redirect({ to: '/account/security/password', replace: true, throw: true }),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'security/password',
    component: lazy(() => import('./features/account/pages/PasswordPage.tsx'), 'PasswordPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'security/sessions',
    component: lazy(() => import('./features/account/pages/SessionsPage.tsx'), 'SessionsPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'security/second-factor',
    component: lazy(() => import('./features/second-factor/pages/SecondFactorPage.tsx'), 'SecondFactorPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'security/tokens',
    component: lazy(() => import('./features/tokens/pages/AccessTokensPage.tsx'), 'AccessTokensPage'),
  }),
] as const

const team = createRoute({
  getParentRoute: () => platform,
  path: '/team/$slug',
  remountDeps: ({ params }) => params,
  component: lazy(() => import('./features/teams/pages/TeamLayout.tsx'), 'TeamLayout'),
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
    component: lazy(() => import('./features/applications/pages/TeamApplicationsPage.tsx'), 'TeamApplicationsPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'applications/create',
    component: lazy(() => import('./features/applications/pages/CreateApplicationPage.tsx'), 'CreateApplicationPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'instances',
    component: lazy(() => import('./features/applications/pages/TeamInstancesPage.tsx'), 'TeamInstancesPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'instances/create',
    beforeLoad: ({ preload, context, params }) => {
      // Back from the form for an application must not lead into its own redirect again [INST-02].
      const from = preload ? undefined : context.cameFrom()
      if (from === `/team/${params.slug}/applications/create`) redirect({ to: '/', replace: true, throw: true })
    },
    component: lazy(() => import('./features/applications/pages/CreateInstancePage.tsx'), 'CreateInstancePage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'audit-log',
    component: lazy(() => import('./features/teams/pages/TeamAuditLogPage.tsx'), 'TeamAuditLogPage'),
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
    component: lazy(() => import('./features/team-admin/pages/TeamMembersPage.tsx'), 'TeamMembersPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'members/invitations',
    component: lazy(() => import('./features/team-admin/pages/TeamInvitationsPage.tsx'), 'TeamInvitationsPage'),
  }),
] as const

const teamSettings = createRoute({
  getParentRoute: () => team,
  path: 'settings',
  component: lazy(() => import('./features/team-admin/pages/TeamSettingsLayout.tsx'), 'TeamSettingsLayout'),
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
    component: lazy(() => import('./features/team-admin/pages/TeamSettingsGeneralPage.tsx'), 'TeamSettingsGeneralPage'),
  }),
  createRoute({
    getParentRoute: () => teamSettings,
    path: 'danger',
    component: lazy(() => import('./features/team-admin/pages/TeamSettingsDangerPage.tsx'), 'TeamSettingsDangerPage'),
  }),
] as const

const application = createRoute({
  getParentRoute: () => platform,
  path: '/application/$applicationId',
  remountDeps: ({ params }) => params,
  component: lazy(() => import('./features/applications/pages/ApplicationLayout.tsx'), 'ApplicationLayout'),
})
const applicationPages = [
  createRoute({
    getParentRoute: () => application,
    path: '/',
    beforeLoad: ({ params }) => {
      redirect({ to: '/application/$applicationId/instances', params, replace: true, throw: true })
    },
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'instances',
    component: lazy(
      () => import('./features/applications/pages/ApplicationInstancesPage.tsx'),
      'ApplicationInstancesPage',
    ),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'instances/create',
    component: lazy(
      () => import('./features/applications/pages/ApplicationCreateInstancePage.tsx'),
      'ApplicationCreateInstancePage',
    ),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'logs',
    component: lazy(() => import('./features/applications/pages/ApplicationLogsPage.tsx'), 'ApplicationLogsPage'),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'activity',
    component: lazy(
      () => import('./features/applications/pages/ApplicationActivityPage.tsx'),
      'ApplicationActivityPage',
    ),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'settings',
    component: lazy(
      () => import('./features/applications/pages/ApplicationSettingsPage.tsx'),
      'ApplicationSettingsPage',
    ),
  }),
] as const

const instance = createRoute({
  getParentRoute: () => platform,
  path: '/instance/$instanceId',
  remountDeps: ({ params }) => params,
  component: lazy(() => import('./features/instances/pages/InstanceLayout.tsx'), 'InstanceLayout'),
})
const instancePages = [
  createRoute({
    getParentRoute: () => instance,
    path: '/',
    beforeLoad: ({ params }) => {
      redirect({ to: '/instance/$instanceId/overview', params, replace: true, throw: true })
    },
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'overview',
    component: lazy(() => import('./features/instances/pages/InstanceOverviewPage.tsx'), 'InstanceOverviewPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'logs',
    component: lazy(() => import('./features/instances/pages/InstanceLogsPage.tsx'), 'InstanceLogsPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'audit-log',
    component: lazy(() => import('./features/instances/pages/InstanceAuditLogPage.tsx'), 'InstanceAuditLogPage'),
  }),
] as const

const instanceSettings = createRoute({
  getParentRoute: () => instance,
  path: 'settings',
  component: lazy(
    () => import('./features/instance-settings/pages/InstanceSettingsLayout.tsx'),
    'InstanceSettingsLayout',
  ),
})
const instanceSettingsPages = [
  createRoute({
    getParentRoute: () => instanceSettings,
    path: '/',
    beforeLoad: ({ params }) => {
      redirect({ to: '/instance/$instanceId/settings/general', params, replace: true, throw: true })
    },
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'general',
    component: lazy(() => import('./features/instance-settings/pages/GeneralSettingsPage.tsx'), 'GeneralSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'environment',
    component: lazy(
      () => import('./features/instance-settings/pages/EnvironmentSettingsPage.tsx'),
      'EnvironmentSettingsPage',
    ),
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'editor',
    component: lazy(() => import('./features/instance-settings/pages/EditorSettingsPage.tsx'), 'EditorSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'security',
    component: lazy(
      () => import('./features/instance-settings/pages/SecuritySettingsPage.tsx'),
      'SecuritySettingsPage',
    ),
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'palette',
    component: lazy(() => import('./features/instance-settings/pages/PaletteSettingsPage.tsx'), 'PaletteSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'danger',
    component: lazy(() => import('./features/instance-settings/pages/DangerSettingsPage.tsx'), 'DangerSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'change-type',
    component: lazy(() => import('./features/instance-settings/pages/ChangeTypePage.tsx'), 'ChangeTypePage'),
  }),
] as const

const admin = createRoute({ getParentRoute: () => platform, path: '/admin', staticData: { area: 'admin' } })
const adminSettings = createRoute({
  getParentRoute: () => admin,
  path: 'settings',
  component: lazy(() => import('./features/admin/pages/AdminSettingsLayout.tsx'), 'AdminSettingsLayout'),
})
const toAdminSettings = () => void redirect({ to: '/admin/settings/general', replace: true, throw: true })
const adminPages = [createRoute({ getParentRoute: () => admin, path: '/', beforeLoad: toAdminSettings })] as const
const adminSettingsPages = [
  createRoute({ getParentRoute: () => adminSettings, path: '/', beforeLoad: toAdminSettings }),
  createRoute({
    getParentRoute: () => adminSettings,
    path: 'general',
    component: lazy(() => import('./features/admin/pages/AdminSettingsGeneralPage.tsx'), 'AdminSettingsGeneralPage'),
  }),
  createRoute({
    getParentRoute: () => adminSettings,
    path: 'email',
    component: lazy(() => import('./features/admin/pages/AdminSettingsEmailPage.tsx'), 'AdminSettingsEmailPage'),
  }),
] as const

const routeTree = root.addChildren([
  setup,
  help,
  ...accountPages,
  platform.addChildren([
    ...platformPages,
    account.addChildren(settingsPages),
    admin.addChildren([...adminPages, adminSettings.addChildren(adminSettingsPages)]),
    team.addChildren([...teamPages, teamSettings.addChildren(teamSettingsPages)]),
    application.addChildren(applicationPages),
    instance.addChildren([...instancePages, instanceSettings.addChildren(instanceSettingsPages)]),
  ]),
])

/** The console's routes; each page arrives with a piece of code of its own. */
export function createConsoleRouter() {
  const router = createRouter({
    routeTree,
    context: { cameFrom: () => router.state.resolvedLocation?.pathname },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingComponent: Loading,
    defaultNotFoundComponent: () => <NotFound />,
  })
  return router
}
