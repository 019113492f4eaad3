import { accountLinkRoutes } from './account-links.ts'
import { accountRoutes } from './account.ts'
import { applicationRoutes } from './applications.ts'
import { backupRoutes } from './backups.ts'
import { auditLogRoutes } from './audit-log.ts'
import { catalogueRoutes } from './catalogue.ts'
import { commsRoutes } from './comms.ts'
import { contextRoutes } from './context.ts'
import { debugRoutes } from './debug.ts'
import { deploymentRoutes } from './deployments.ts'
import { catalogueAdminRoutes } from './catalogue-admin.ts'
import { deviceChartRoutes } from './device-charts.ts'
import { deviceLinkRoutes } from './device-link.ts'
import { provisioningRoutes } from './device-provisioning.ts'
import { deviceRoutes } from './devices.ts'
import { deletedRoutes } from './deleted.ts'
import { eventRoutes } from './events.ts'
import { haRoutes } from './ha.ts'
import { healthRoutes } from './health.ts'
import { historyRoutes } from './history.ts'
import { instanceRoutes } from './instances.ts'
import { invitationRoutes } from './invitations.ts'
import { libraryRoutes } from './library.ts'
import { logRoutes } from './logs.ts'
import { metricsRoutes } from './metrics.ts'
import { licenceRoutes } from './licence.ts'
import { oauthRoutes } from './oauth.ts'
import { pipelineRoutes } from './pipelines.ts'
import { runtimeRoutes } from './runtime.ts'
import { secondFactorRoutes } from './second-factor.ts'
import { sessionRoutes } from './sessions.ts'
import { settingsRoutes } from './settings.ts'
import { setupRoutes } from './setup.ts'
import { snapshotRoutes } from './snapshots.ts'
import { statsRoutes } from './stats.ts'
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
  ...catalogueAdminRoutes,
  ...instanceRoutes,
  ...haRoutes,
  ...commsRoutes,
  ...contextRoutes,
  ...snapshotRoutes,
  ...deploymentRoutes,
  ...deviceRoutes,
  ...deviceChartRoutes,
  ...provisioningRoutes,
  ...deviceLinkRoutes,
  ...pipelineRoutes,
  ...logRoutes,
  ...metricsRoutes,
  ...versionRoutes,
  ...historyRoutes,
  ...deletedRoutes,
  ...runtimeRoutes,
  ...libraryRoutes,
  ...eventRoutes,
  ...backupRoutes,
  ...healthRoutes,
  ...debugRoutes,
  ...auditLogRoutes,
  ...licenceRoutes,
  ...statsRoutes,
}
export type Routes = typeof routes
export type RouteId = keyof Routes

/** The ids of one noun, for example RouteIdOf<'team'>. */
export type RouteIdOf<Noun extends string> = Extract<RouteId, `${Noun}.${string}`>
