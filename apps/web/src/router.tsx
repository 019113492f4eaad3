import { createRootRoute, createRouter, Outlet } from '@tanstack/react-router'
import { NotFound } from './shell/NotFound.tsx'
import { UiHost } from './ui/UiHost.tsx'

const rootRoute = createRootRoute({
  component: () => (
    <UiHost>
      <Outlet />
    </UiHost>
  ),
  notFoundComponent: () => <NotFound />,
})

/** The console's routes. A feature hands in its own by a function of its parent route. */
export function createConsoleRouter() {
  return createRouter({ routeTree: rootRoute, defaultPreload: 'intent', scrollRestoration: true })
}
