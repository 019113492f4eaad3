// Written by `npm run gen` from the files of this folder.
import { accountLinkRoutes } from './account-links.ts'
import { accountRoutes } from './account.ts'
import { applicationMemberRoutes } from './application-members.ts'
import { applicationRoutes } from './applications.ts'
import { auditLogRoutes } from './audit-log.ts'
import { backupRoutes } from './backups.ts'
import { billingRoutes } from './billing.ts'
import { catalogueAdminRoutes } from './catalogue-admin.ts'
import { catalogueRoutes } from './catalogue.ts'
import { commsRoutes } from './comms.ts'
import { contextRoutes } from './context.ts'
import { debugRoutes } from './debug.ts'
import { deletedRoutes } from './deleted.ts'
import { deploymentRoutes } from './deployments.ts'
import { deviceActionRoutes } from './device-actions.ts'
import { deviceAuditRoutes } from './device-audit.ts'
import { deviceBulkRoutes } from './device-bulk.ts'
import { deviceChartRoutes } from './device-charts.ts'
import { deviceDeveloperRoutes } from './device-developer.ts'
import { deviceEditorRoutes } from './device-editor.ts'
import { deviceLinkRoutes } from './device-link.ts'
import { deviceLogRoutes } from './device-log.ts'
import { provisioningRoutes } from './device-provisioning.ts'
import { deviceTagRoutes } from './device-tags.ts'
import { deviceRoutes } from './devices.ts'
import { editorAuthRoutes } from './editor-auth.ts'
import { eventRoutes } from './events.ts'
import { haRoutes } from './ha.ts'
import { healthRoutes } from './health.ts'
import { historyRoutes } from './history.ts'
import { instanceRoutes } from './instances.ts'
import { invitationRoutes } from './invitations.ts'
import { libraryRoutes } from './library.ts'
import { licenceRoutes } from './licence.ts'
import { logRoutes } from './logs.ts'
import { deviceMetricsRoutes } from './metrics.ts'
import { metricsRoutes } from './metrics.ts'
import { pipelineRoutes } from './pipelines.ts'
import { runtimeRoutes } from './runtime.ts'
import { scimRoutes } from './scim.ts'
import { secondFactorRoutes } from './second-factor.ts'
import { sessionRoutes } from './sessions.ts'
import { settingsRoutes } from './settings.ts'
import { setupRoutes } from './setup.ts'
import { snapshotRoutes } from './snapshots.ts'
import { ssoOidcRoutes } from './sso-oidc.ts'
import { ssoRulesRoutes } from './sso-rules.ts'
import { ssoRoutes } from './sso.ts'
import { statsRoutes } from './stats.ts'
import { teamTypeRoutes } from './team-types-admin.ts'
import { teamRoutes } from './teams.ts'
import { tokenRoutes } from './tokens.ts'
import { userRoutes } from './users.ts'
import { versionRoutes } from './versions.ts'

/** Every route of the platform, by id. A call without an entry here does not exist. */
export const routes = {
  ...accountLinkRoutes,
  ...accountRoutes,
  ...applicationMemberRoutes,
  ...applicationRoutes,
  ...auditLogRoutes,
  ...backupRoutes,
  ...billingRoutes,
  ...catalogueAdminRoutes,
  ...catalogueRoutes,
  ...commsRoutes,
  ...contextRoutes,
  ...debugRoutes,
  ...deletedRoutes,
  ...deploymentRoutes,
  ...deviceActionRoutes,
  ...deviceAuditRoutes,
  ...deviceBulkRoutes,
  ...deviceChartRoutes,
  ...deviceDeveloperRoutes,
  ...deviceEditorRoutes,
  ...deviceLinkRoutes,
  ...deviceLogRoutes,
  ...provisioningRoutes,
  ...deviceTagRoutes,
  ...deviceRoutes,
  ...editorAuthRoutes,
  ...eventRoutes,
  ...haRoutes,
  ...healthRoutes,
  ...historyRoutes,
  ...instanceRoutes,
  ...invitationRoutes,
  ...libraryRoutes,
  ...licenceRoutes,
  ...logRoutes,
  ...deviceMetricsRoutes,
  ...metricsRoutes,
  ...pipelineRoutes,
  ...runtimeRoutes,
  ...scimRoutes,
  ...secondFactorRoutes,
  ...sessionRoutes,
  ...settingsRoutes,
  ...setupRoutes,
  ...snapshotRoutes,
  ...ssoOidcRoutes,
  ...ssoRulesRoutes,
  ...ssoRoutes,
  ...statsRoutes,
  ...teamTypeRoutes,
  ...teamRoutes,
  ...tokenRoutes,
  ...userRoutes,
  ...versionRoutes,
}
export type Routes = typeof routes
export type RouteId = keyof Routes

/** The ids of one noun, for example RouteIdOf<'team'>. */
export type RouteIdOf<Noun extends string> = Extract<RouteId, `${Noun}.${string}`>
