import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage as lazy } from '../lib/lazy-page.ts'
import { queryOf } from '../lib/use-query-state.ts'
import { platform } from './frames.tsx'

const instance = createRoute({
  getParentRoute: () => platform,
  path: '/instance/$instanceId',
  remountDeps: ({ params }) => params,
  component: lazy(() => import('../features/instances/pages/InstanceLayout.tsx'), 'InstanceLayout'),
})
const toHistory = (params: { instanceId: string }, search: { kind?: 'deployments' } = {}): void => {
  redirect({ to: '/instance/$instanceId/history', params, search: queryOf(search), replace: true, throw: true })
}
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
    staticData: { help: 'first-flow' },
    component: lazy(() => import('../features/instances/pages/InstanceOverviewPage.tsx'), 'InstanceOverviewPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'devices',
    staticData: { help: 'devices' },
    component: lazy(() => import('../features/devices/pages/InstanceDevicesPage.tsx'), 'InstanceDevicesPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'performance',
    staticData: { help: 'metrics#one-instance' },
    component: lazy(() => import('../features/metrics/pages/InstancePerformancePage.tsx'), 'InstancePerformancePage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'context',
    staticData: { help: 'context' },
    component: lazy(() => import('../features/context/pages/InstanceContextPage.tsx'), 'InstanceContextPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'logs',
    staticData: { help: 'logs#logs' },
    component: lazy(() => import('../features/logs/pages/InstanceLogsPage.tsx'), 'InstanceLogsPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'snapshots',
    staticData: { help: 'snapshots' },
    component: lazy(() => import('../features/snapshots/pages/InstanceSnapshotsPage.tsx'), 'InstanceSnapshotsPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'snapshots/$snapshotId',
    staticData: { help: 'snapshots#compare' },
    remountDeps: ({ params }) => params,
    component: lazy(() => import('../features/snapshots/pages/SnapshotPage.tsx'), 'SnapshotPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'history',
    staticData: { help: 'versions' },
    component: lazy(() => import('../features/history/pages/HistoryPage.tsx'), 'HistoryPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'history/compare',
    staticData: { help: 'versions#compare' },
    component: lazy(() => import('../features/history/pages/HistoryComparePage.tsx'), 'HistoryComparePage'),
  }),
  // Lists of their own before there was one history.
  createRoute({
    getParentRoute: () => instance,
    path: 'deployments',
    beforeLoad: ({ params }) => toHistory(params, { kind: 'deployments' }),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'versions',
    beforeLoad: ({ params }) => toHistory(params),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'deployments/$deploymentId',
    staticData: { help: 'pipelines#how-flows-are-judged' },
    remountDeps: ({ params }) => params,
    component: lazy(() => import('../features/deployments/pages/DeploymentPage.tsx'), 'DeploymentPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'versions/$versionId',
    staticData: { help: 'pipelines#differences' },
    remountDeps: ({ params }) => params,
    component: lazy(() => import('../features/versions/pages/InstanceVersionPage.tsx'), 'InstanceVersionPage'),
  }),
  createRoute({
    getParentRoute: () => instance,
    path: 'audit-log',
    staticData: { help: 'audit#read-it' },
    component: lazy(() => import('../features/instances/pages/InstanceAuditLogPage.tsx'), 'InstanceAuditLogPage'),
  }),
] as const

const instanceSettings = createRoute({
  getParentRoute: () => instance,
  path: 'settings',
  component: lazy(
    () => import('../features/instance-settings/pages/InstanceSettingsLayout.tsx'),
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
    staticData: { help: 'instance-settings#general' },
    component: lazy(() => import('../features/instance-settings/pages/GeneralSettingsPage.tsx'), 'GeneralSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'environment',
    staticData: { help: 'variables' },
    component: lazy(
      () => import('../features/instance-settings/pages/EnvironmentSettingsPage.tsx'),
      'EnvironmentSettingsPage',
    ),
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'ha',
    staticData: { help: 'high-availability' },
    component: lazy(() => import('../features/high-availability/pages/HaSettingsPage.tsx'), 'HaSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'editor',
    staticData: { help: 'instance-settings#editor' },
    component: lazy(() => import('../features/instance-settings/pages/EditorSettingsPage.tsx'), 'EditorSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'security',
    staticData: { help: 'instance-settings#security' },
    component: lazy(
      () => import('../features/instance-settings/pages/SecuritySettingsPage.tsx'),
      'SecuritySettingsPage',
    ),
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'palette',
    staticData: { help: 'modules' },
    component: lazy(() => import('../features/instance-settings/pages/PaletteSettingsPage.tsx'), 'PaletteSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'danger',
    staticData: { help: 'instance-settings#danger-zone' },
    component: lazy(() => import('../features/instance-settings/pages/DangerSettingsPage.tsx'), 'DangerSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => instanceSettings,
    path: 'change-type',
    staticData: { help: 'instance-settings#danger-zone' },
    component: lazy(() => import('../features/instance-settings/pages/ChangeTypePage.tsx'), 'ChangeTypePage'),
  }),
] as const

/** The pages of an instance. */
export const instanceRoutes = instance.addChildren([
  ...instancePages,
  instanceSettings.addChildren(instanceSettingsPages),
])
