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
    staticData: { help: 'concepts#application' },
    component: lazy(
      () => import('../features/applications/pages/ApplicationInstancesPage.tsx'),
      'ApplicationInstancesPage',
    ),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'instances/create',
    staticData: { help: 'first-flow#create-an-instance' },
    component: lazy(
      () => import('../features/applications/pages/ApplicationCreateInstancePage.tsx'),
      'ApplicationCreateInstancePage',
    ),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'pipelines',
    staticData: { help: 'pipelines' },
    component: lazy(() => import('../features/pipelines/pages/PipelinesPage.tsx'), 'PipelinesPage'),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'pipelines/create',
    staticData: { help: 'pipelines' },
    component: lazy(() => import('../features/pipelines/pages/CreatePipelinePage.tsx'), 'CreatePipelinePage'),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'pipelines/$pipelineId',
    staticData: { help: 'pipelines' },
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
    staticData: { help: 'pipelines' },
    component: lazy(() => import('../features/pipelines/pages/StagePages.tsx'), 'CreateStagePage'),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'pipelines/$pipelineId/stages/$stageId/edit',
    staticData: { help: 'pipelines' },
    component: lazy(() => import('../features/pipelines/pages/StagePages.tsx'), 'EditStagePage'),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'logs',
    staticData: { help: 'logs#logs' },
    component: lazy(() => import('../features/applications/pages/ApplicationLogsPage.tsx'), 'ApplicationLogsPage'),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'activity',
    staticData: { help: 'audit#read-it' },
    component: lazy(
      () => import('../features/applications/pages/ApplicationActivityPage.tsx'),
      'ApplicationActivityPage',
    ),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'members',
    staticData: { help: 'application-roles' },
    component: lazy(
      () => import('../features/application-members/pages/ApplicationMembersPage.tsx'),
      'ApplicationMembersPage',
    ),
  }),
  createRoute({
    getParentRoute: () => application,
    path: 'settings',
    staticData: { help: 'teams#application-settings' },
    component: lazy(
      () => import('../features/applications/pages/ApplicationSettingsPage.tsx'),
      'ApplicationSettingsPage',
    ),
  }),
] as const

/** The pages of an application. */
export const applicationRoutes = application.addChildren(applicationPages)
