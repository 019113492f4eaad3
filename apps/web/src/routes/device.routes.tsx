import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage as lazy } from '../lib/lazy-page.ts'
import { platform } from './frames.tsx'

const device = createRoute({
  getParentRoute: () => platform,
  path: '/device/$deviceId',
  remountDeps: ({ params }) => params,
  component: lazy(() => import('../features/devices/pages/DeviceLayout.tsx'), 'DeviceLayout'),
})
const devicePages = [
  createRoute({
    getParentRoute: () => device,
    path: '/',
    beforeLoad: ({ params }) => {
      redirect({ to: '/device/$deviceId/overview', params, replace: true, throw: true })
    },
  }),
  createRoute({
    getParentRoute: () => device,
    path: 'overview',
    staticData: { help: 'devices' },
    component: lazy(() => import('../features/devices/pages/DeviceOverviewPage.tsx'), 'DeviceOverviewPage'),
  }),
  createRoute({
    getParentRoute: () => device,
    path: 'audit-log',
    staticData: { help: 'audit#read-it' },
    component: lazy(() => import('../features/devices/pages/DeviceAuditLogPage.tsx'), 'DeviceAuditLogPage'),
  }),
  createRoute({
    getParentRoute: () => device,
    path: 'logs',
    staticData: { help: 'devices#the-log-of-a-device' },
    component: lazy(() => import('../features/devices/pages/DeviceLogsPage.tsx'), 'DeviceLogsPage'),
  }),
  createRoute({
    getParentRoute: () => device,
    path: 'editor',
    staticData: { help: 'devices#the-editor-of-a-device' },
    component: lazy(() => import('../features/devices/pages/DeviceEditorPage.tsx'), 'DeviceEditorPage'),
  }),
] as const

const settings = createRoute({
  getParentRoute: () => device,
  path: 'settings',
  component: lazy(() => import('../features/devices/pages/DeviceSettingsLayout.tsx'), 'DeviceSettingsLayout'),
})
const settingsPages = [
  createRoute({
    getParentRoute: () => settings,
    path: '/',
    beforeLoad: ({ params }) => {
      redirect({ to: '/device/$deviceId/settings/general', params, replace: true, throw: true })
    },
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'general',
    staticData: { help: 'devices#settings-of-a-device' },
    component: lazy(() => import('../features/devices/pages/DeviceGeneralPage.tsx'), 'DeviceGeneralPage'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'environment',
    staticData: { help: 'variables' },
    component: lazy(() => import('../features/devices/pages/DeviceEnvironmentPage.tsx'), 'DeviceEnvironmentPage'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'danger',
    staticData: { help: 'devices#settings-of-a-device' },
    component: lazy(() => import('../features/devices/pages/DeviceDangerPage.tsx'), 'DeviceDangerPage'),
  }),
] as const

/** The pages of a device. */
export const deviceRoutes = device.addChildren([...devicePages, settings.addChildren(settingsPages)])
