import { routes } from '@app/contract/routes'
import { expect, test } from 'vitest'
import { createConsoleRouter } from './router.tsx'

const router = createConsoleRouter()
/** The pattern and the parameters of the page at an address. */
function pageAt(path: string) {
  const { fullPath, params } = router.matchRoutes(path).at(-1)!
  return [fullPath, params]
}

test('[SHELL-38] the pages that account screens lead to are where their names say, with their parameters', () => {
  expect({
    Home: pageAt('/'),
    Team: pageAt('/team/bakery'),
    CreateTeam: pageAt('/team/create'),
    Application: pageAt('/application/a1'),
    'Admin Settings': pageAt('/admin/settings'),
    login: pageAt('/login'),
    'Sign out': pageAt('/account/logout'),
  }).toEqual({
    Home: ['/', {}],
    Team: ['/team/$slug/', { slug: 'bakery' }],
    CreateTeam: ['/team/create', {}],
    Application: ['/application/$applicationId/', { applicationId: 'a1' }],
    'Admin Settings': ['/admin/settings/', {}],
    login: ['/login', {}],
    'Sign out': ['/account/logout', {}],
  })
  expect(pageAt('/nowhere')).toEqual(['/$', expect.objectContaining({ _splat: 'nowhere' })])
})

test('[SHELL-39] the pages that lists and notices lead to are where their names say, with their parameters', () => {
  expect({
    Application: pageAt('/application/a1'),
    ApplicationCreateInstance: pageAt('/application/a1/instances/create'),
    TeamDevices: pageAt('/team/bakery/devices'),
    TeamSettingsDevices: pageAt('/team/bakery/settings/devices'),
    InstanceSnapshots: pageAt('/instance/i1/snapshots'),
    InstanceRemoteInstances: pageAt('/instance/i1/devices'),
    Instance: pageAt('/instance/i1'),
    Device: pageAt('/device/d1'),
  }).toEqual({
    Application: ['/application/$applicationId/', { applicationId: 'a1' }],
    ApplicationCreateInstance: ['/application/$applicationId/instances/create', { applicationId: 'a1' }],
    TeamDevices: ['/team/$slug/devices', { slug: 'bakery' }],
    TeamSettingsDevices: ['/team/$slug/settings/devices', { slug: 'bakery' }],
    InstanceSnapshots: ['/instance/$instanceId/snapshots', { instanceId: 'i1' }],
    InstanceRemoteInstances: ['/instance/$instanceId/devices', { instanceId: 'i1' }],
    Instance: ['/instance/$instanceId/', { instanceId: 'i1' }],
    Device: ['/device/$deviceId/', { deviceId: 'd1' }],
  })
  const [copied] = router.matchRoutes('/application/a1/instances/create', { sourceInstanceId: 'i1' }).slice(-1)
  expect(copied!.search).toEqual({ sourceInstanceId: 'i1' })
})

test('[ADM-02] every page of administrators stands within the frame that lets in nobody else', () => {
  const paths = Object.keys(router.routesByPath).filter((path) => path.startsWith('/admin'))
  expect(paths.length).toBeGreaterThan(20)
  for (const path of paths) {
    const frames = router.matchRoutes(path.replace(/\$\w+/g, 'x')).map(({ routeId }) => routeId)
    expect([path, ...frames]).toContain('/platform/admin')
  }
})

/** Pages that ask one question, lead elsewhere or do not exist. */
const plain = [
  '/',
  '/$',
  '/account/email_change/$token',
  '/account/invitation/join',
  '/account/request/$id',
  '/account/request/$id/editor',
]

test('each page leads to the section of the handbook that explains it, except those that explain themselves', () => {
  const pages = Object.values(router.routesByPath).filter(
    ({ options }) => options.component && !options.staticData?.isPublic,
  )
  const helpless = pages.filter(({ options }) => !options.staticData?.help)
  expect(helpless.map(({ fullPath }) => fullPath).toSorted()).toEqual(plain)
})

test('no page has the address of a call, which would be answered in its place', () => {
  const pattern = (path: string) => path.replace(/[:$]\w+/g, '*').replace(/(.)\/$/, '$1')
  const pages = new Set(Object.keys(router.routesByPath).map(pattern))
  const asked = Object.values(routes).filter(({ method }) => method === 'GET')
  expect(asked.map(({ path }) => path).filter((path) => pages.has(pattern(path)))).toEqual([])
})
