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
    path: 'pipelines',
    component: lazy(() => import('../features/pipelines/pages/PipelinesPage.tsx'), 'PipelinesPage'),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'pipelines/create',
    component: lazy(() => import('../features/pipelines/pages/CreatePipelinePage.tsx'), 'CreatePipelinePage'),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'pipelines/$pipelineId',
    beforeLoad: ({ params }) => {
      redirect({
        to: '/application/$applicationId/pipelines/$pipelineId/stages/create',
        params,
        replace: true,
        throw: true,
      })
    },
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'pipelines/$pipelineId/stages/create',
    component: lazy(() => import('../features/pipelines/pages/StagePages.tsx'), 'CreateStagePage'),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'pipelines/$pipelineId/stages/$stageId/edit',
    component: lazy(() => import('../features/pipelines/pages/StagePages.tsx'), 'EditStagePage'),
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
    path: 'members',
    component: lazy(() => import('../features/teams/pages/ApplicationMembersPage.tsx'), 'ApplicationMembersPage'),
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
