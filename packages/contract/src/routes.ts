import { accountLinkRoutes } from './account-links.ts'
import { accountRoutes } from './account.ts'
import { applicationRoutes } from './applications.ts'
import { catalogueRoutes } from './catalogue.ts'
import { deletedRoutes } from './deleted.ts'
import { eventRoutes } from './events.ts'
import { instanceRoutes } from './instances.ts'
import { invitationRoutes } from './invitations.ts'
import { oauthRoutes } from './oauth.ts'
import { runtimeRoutes } from './runtime.ts'
import { secondFactorRoutes } from './second-factor.ts'
import { sessionRoutes } from './sessions.ts'
import { settingsRoutes } from './settings.ts'
import { setupRoutes } from './setup.ts'
import { teamRoutes } from './teams.ts'
import { userRoutes } from './users.ts'
import { tokenRoutes } from './tokens.ts'
import { versionRoutes } from './versions.ts'

/** Every route of the platform, by id. A call without an entry here does not exist. */
export const routes = {
  ...setupRoutes,
  ...settingsRoutes,
  ...accountRoutes,
  ...secondFactorRoutes,
  ...tokenRoutes,
  ...accountLinkRoutes,
  ...sessionRoutes,
  ...oauthRoutes,
  ...userRoutes,
  ...teamRoutes,
  ...invitationRoutes,
  ...applicationRoutes,
  ...catalogueRoutes,
  ...instanceRoutes,
  ...versionRoutes,
  ...deletedRoutes,
  ...runtimeRoutes,
  ...eventRoutes,
}
export type Routes = typeof routes
export type RouteId = keyof Routes

/** The ids of one noun, for example RouteIdOf<'team'>. */
export type RouteIdOf<Noun extends string> = Extract<RouteId, `${Noun}.${string}`>
