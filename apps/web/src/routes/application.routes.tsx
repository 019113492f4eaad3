import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage as lazy } from '../lib/lazy-page.ts'
import { platform } from './frames.tsx'

const application = createRoute({
  getParentRoute: () => platform,
  path: '/application/$applicationId',
  remountDeps: ({ params }) => params,
  component: lazy(() => import('../features/applications/pages/ApplicationLayout.tsx'), 'ApplicationLayout'),
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
      () => import('../features/applications/pages/ApplicationInstancesPage.tsx'),
      'ApplicationInstancesPage',
    ),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'instances/create',
    component: lazy(
      () => import('../features/applications/pages/ApplicationCreateInstancePage.tsx'),
      'ApplicationCreateInstancePage',
    ),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'logs',
    component: lazy(() => import('../features/applications/pages/ApplicationLogsPage.tsx'), 'ApplicationLogsPage'),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'activity',
    component: lazy(
      () => import('../features/applications/pages/ApplicationActivityPage.tsx'),
      'ApplicationActivityPage',
    ),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'settings',
    component: lazy(
      () => import('../features/applications/pages/ApplicationSettingsPage.tsx'),
      'ApplicationSettingsPage',
    ),
  }),
] as const

/** The pages of an application. */
export const applicationRoutes = application.addChildren(applicationPages)
