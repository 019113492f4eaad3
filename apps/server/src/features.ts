import { accountFeature } from './features/account/account.feature.ts'
import { applicationsFeature } from './features/applications/applications.feature.ts'
import { auditFeature } from './features/audit/audit.feature.ts'
import { backupFeature } from './features/backup/backup.feature.ts'
import { catalogueFeature } from './features/catalogue/catalogue.feature.ts'
import { debugFeature } from './features/debug/debug.feature.ts'
import { deploymentsFeature } from './features/deployments/deployments.feature.ts'
import { devicesFeature } from './features/devices/devices.feature.ts'
import { healthFeature } from './features/health/health.feature.ts'
import { instancesFeature } from './features/instances/instances.feature.ts'
import { invitationsFeature } from './features/invitations/invitations.feature.ts'
import { libraryFeature } from './features/library/library.feature.ts'
import { mailFeature } from './features/mail/mail.feature.ts'
import { metricsFeature } from './features/metrics/metrics.feature.ts'
import { oauthFeature } from './features/oauth/oauth.feature.ts'
import { pipelinesFeature } from './features/pipelines/pipelines.feature.ts'
import { realtimeFeature } from './features/realtime/realtime.feature.ts'
import { runtimeFeature } from './features/runtime/runtime.feature.ts'
import { secondFactorFeature } from './features/second-factor/second-factor.feature.ts'
import { settingsFeature } from './features/settings/settings.feature.ts'
import { setupFeature } from './features/setup/setup.feature.ts'
import { snapshotsFeature } from './features/snapshots/snapshots.feature.ts'
import { statsFeature } from './features/stats/stats.feature.ts'
import { teamsFeature } from './features/teams/teams.feature.ts'
import { tokensFeature } from './features/tokens/tokens.feature.ts'
import { usersFeature } from './features/users/users.feature.ts'
import type { RouteId } from '@app/contract'
import type { Platform, Services } from './platform/features/services.ts'

/**
 * Every feature of the platform. The order matters in two places alone: whose hook hears of something first, and who is
 * asked first who calls.
 */
export const features = [
  devicesFeature,
  tokensFeature,
  accountFeature,
  secondFactorFeature,
  applicationsFeature,
  auditFeature,
  backupFeature,
  catalogueFeature,
  debugFeature,
  deploymentsFeature,
  healthFeature,
  instancesFeature,
  invitationsFeature,
  libraryFeature,
  mailFeature,
  metricsFeature,
  oauthFeature,
  pipelinesFeature,
  realtimeFeature,
  runtimeFeature,
  settingsFeature,
  setupFeature,
  snapshotsFeature,
  statsFeature,
  teamsFeature,
  usersFeature,
]

type Part<K extends 'provides' | 'routes'> = NonNullable<(typeof features)[number][K]>
type KeysOf<T> = T extends unknown ? keyof T : never
type Unserved = Exclude<RouteId, KeysOf<ReturnType<Part<'routes'>>>>
type Unprovided = Exclude<keyof Services, keyof Platform | KeysOf<Part<'provides'>>>

/** A route that nobody serves stands in the error here. */
export const unserved: Record<Unserved, never> = {}
/** A service that nobody provides stands in the error here. */
export const unprovided: Record<Unprovided, never> = {}
