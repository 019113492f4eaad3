import { accountFeature } from './features/account/account.feature.ts'
import { applicationMembersFeature } from './features/application-members/application-members.feature.ts'
import { applicationsFeature } from './features/applications/applications.feature.ts'
import { auditFeature } from './features/audit/audit.feature.ts'
import { backupFeature } from './features/backup/backup.feature.ts'
import { billingFeature } from './features/billing/billing.feature.ts'
import { catalogueFeature } from './features/catalogue/catalogue.feature.ts'
import { commsFeature } from './features/comms/comms.feature.ts'
import { contentsFeature } from './features/contents/contents.feature.ts'
import { contextFeature } from './features/context/context.feature.ts'
import { debugFeature } from './features/debug/debug.feature.ts'
import { deletedInstancesFeature } from './features/deleted-instances/deleted-instances.feature.ts'
import { deploymentsFeature } from './features/deployments/deployments.feature.ts'
import { devicesFeature } from './features/devices/devices.feature.ts'
import { healthFeature } from './features/health/health.feature.ts'
import { highAvailabilityFeature } from './features/high-availability/high-availability.feature.ts'
import { historyFeature } from './features/history/history.feature.ts'
import { hostingFeature } from './features/hosting/hosting.feature.ts'
import { instanceProxyFeature } from './features/instance-proxy/instance-proxy.feature.ts'
import { instancesFeature } from './features/instances/instances.feature.ts'
import { invitationsFeature } from './features/invitations/invitations.feature.ts'
import { libraryFeature } from './features/library/library.feature.ts'
import { logsFeature } from './features/logs/logs.feature.ts'
import { mailFeature } from './features/mail/mail.feature.ts'
import { metricsFeature } from './features/metrics/metrics.feature.ts'
import { monitoringFeature } from './features/monitoring/monitoring.feature.ts'
import { editorAuthFeature } from './features/editor-auth/editor-auth.feature.ts'
import { pipelinesFeature } from './features/pipelines/pipelines.feature.ts'
import { realtimeFeature } from './features/realtime/realtime.feature.ts'
import { runtimeFeature } from './features/runtime/runtime.feature.ts'
import { scimFeature } from './features/scim/scim.feature.ts'
import { secondFactorFeature } from './features/second-factor/second-factor.feature.ts'
import { settingsFeature } from './features/settings/settings.feature.ts'
import { setupFeature } from './features/setup/setup.feature.ts'
import { sleepFeature } from './features/sleep/sleep.feature.ts'
import { snapshotsFeature } from './features/snapshots/snapshots.feature.ts'
import { ssoFeature } from './features/sso/sso.feature.ts'
import { statsFeature } from './features/stats/stats.feature.ts'
import { storageFeature } from './features/storage/storage.feature.ts'
import { teamsFeature } from './features/teams/teams.feature.ts'
import { teamTypesFeature } from './features/team-types/team-types.feature.ts'
import { tlsFeature } from './features/tls/tls.feature.ts'
import { tokensFeature } from './features/tokens/tokens.feature.ts'
import { usersFeature } from './features/users/users.feature.ts'
import { versionsFeature } from './features/versions/versions.feature.ts'
import type { RouteId } from '@app/contract'
import type { ProgramKind } from './platform/authz/actor.ts'
import type { Platform, Services } from './platform/features/services.ts'

/**
 * Every feature of the platform. The order matters in two places alone: whose hook hears of something first, and who is
 * asked first who calls.
 */
export const features = [
  devicesFeature,
  scimFeature,
  tokensFeature,
  accountFeature,
  secondFactorFeature,
  applicationMembersFeature,
  applicationsFeature,
  auditFeature,
  backupFeature,
  billingFeature,
  catalogueFeature,
  commsFeature,
  contentsFeature,
  contextFeature,
  debugFeature,
  deletedInstancesFeature,
  deploymentsFeature,
  healthFeature,
  highAvailabilityFeature,
  historyFeature,
  hostingFeature,
  instanceProxyFeature,
  instancesFeature,
  invitationsFeature,
  libraryFeature,
  logsFeature,
  mailFeature,
  metricsFeature,
  monitoringFeature,
  editorAuthFeature,
  pipelinesFeature,
  realtimeFeature,
  runtimeFeature,
  settingsFeature,
  setupFeature,
  sleepFeature,
  snapshotsFeature,
  ssoFeature,
  statsFeature,
  storageFeature,
  teamsFeature,
  teamTypesFeature,
  tlsFeature,
  usersFeature,
  versionsFeature,
] as const

type Part<K extends 'provides' | 'routes' | 'callers'> = NonNullable<(typeof features)[number][K]>
type KeysOf<T> = T extends unknown ? keyof T : never
type Unserved = Exclude<RouteId, KeysOf<ReturnType<Part<'routes'>>>>
type Unjudged = Exclude<ProgramKind, KeysOf<ReturnType<Part<'callers'>>>>
type Unprovided = Exclude<keyof Services, keyof Platform | KeysOf<Part<'provides'>>>

/** A route that nobody serves stands in the error here. */
void ({} satisfies Record<Unserved, never>)
/** A service that nobody provides stands in the error here. */
void ({} satisfies Record<Unprovided, never>)
/** A kind of program that nobody judges stands in the error here. */
void ({} satisfies Record<Unjudged, never>)
