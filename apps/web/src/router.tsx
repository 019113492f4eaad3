import { createRouter } from '@tanstack/react-router'
import { accountPages, accountRoutes } from './routes/account.routes.tsx'
import { adminRoutes } from './routes/admin.routes.tsx'
import { applicationRoutes } from './routes/application.routes.tsx'
import { deviceRoutes } from './routes/device.routes.tsx'
import { platform, root } from './routes/frames.tsx'
import { instanceRoutes } from './routes/instance.routes.tsx'
import { platformPages, publicPages } from './routes/platform.routes.tsx'
import { teamRoutes } from './routes/team.routes.tsx'
import { NotFound } from './shell/NotFound.tsx'
import { Loading } from './ui/Loading.tsx'

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}

const routeTree = root.addChildren([
  ...publicPages,
  ...accountPages,
  platform.addChildren([
    ...platformPages,
    accountRoutes,
    adminRoutes,
    teamRoutes,
    applicationRoutes,
    instanceRoutes,
    deviceRoutes,
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
