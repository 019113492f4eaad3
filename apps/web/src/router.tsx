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
import { SetupNeeded } from './features/setup/index.ts'
import { lazyPage as lazy } from './lib/lazy-page.ts'
import { Loading } from './ui/Loading.tsx'
import { NotFound } from './shell/NotFound.tsx'
import { UiHost } from './ui/UiHost.tsx'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Needs nobody to be signed in. */
    isPublic?: boolean
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
  return (
    <UiHost>
      <Gates isPublic={isPublic} setup={<SetupNeeded />}>
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
    path: '/account/logout',
    staticData: { isPublic: true },
    component: lazy(() => import('./features/account/pages/LogoutPage.tsx'), 'LogoutPage'),
  }),
] as const

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
  createRoute({ getParentRoute: () => platform, path: '$', component: () => <NotFound /> }),
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

const routeTree = root.addChildren([
  setup,
  ...accountPages,
  platform.addChildren([
    ...platformPages,
    team.addChildren(teamPages),
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
