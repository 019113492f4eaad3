import { accountRoutes, oauthRoutes } from './account.ts'
import { applicationRoutes } from './applications.ts'
import { catalogueRoutes } from './catalogue.ts'
import { eventRoutes } from './events.ts'
import { instanceRoutes } from './instances.ts'
import { runtimeRoutes } from './runtime.ts'
import { settingsRoutes } from './settings.ts'
import { setupRoutes } from './setup.ts'
import { teamRoutes } from './teams.ts'

/** Every route of the platform, by id. A call without an entry here does not exist. */
export const routes = {
  ...setupRoutes,
  ...settingsRoutes,
  ...accountRoutes,
  ...oauthRoutes,
  ...teamRoutes,
  ...applicationRoutes,
  ...catalogueRoutes,
  ...instanceRoutes,
  ...runtimeRoutes,
  ...eventRoutes,
}
export type Routes = typeof routes
export type RouteId = keyof Routes

/** The ids of one noun, for example RouteIdOf<'team'>. */
export type RouteIdOf<Noun extends string> = Extract<RouteId, `${Noun}.${string}`>
