import { roles, type RouteId } from '@app/contract'
import type { Driver } from '@app/drivers'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Config, localUrl } from './config.ts'
import {
  accountHandlers,
  accountSweeps,
  browserCookie,
  createAccounts,
  createBrowsers,
  createGuesses,
  createLinks,
  createNotices,
  createOwnSessions,
  createPasswords,
  createProfiles,
  createRegistrations,
  createSessions,
  sessionCookie,
  userSummaryView,
} from './features/account/index.ts'
import { applicationHandlers, createApplications, loadApplication } from './features/applications/index.ts'
import { backupHandlers, createBackups } from './features/backup/index.ts'
import {
  auditHandlers,
  createAudit,
  createAuditExport,
  createIntegrity,
  createRetention,
  createSealer,
} from './features/audit/index.ts'
import { catalogueHandlers, createCatalogue } from './features/catalogue/index.ts'
import { debugHandlers } from './features/debug/index.ts'
import { createDeployments, deploymentHandlers } from './features/deployments/index.ts'
import {
  createDeviceLink,
  createDevices,
  deviceHandlers,
  deviceLinkHandlers,
  loadDevice,
} from './features/devices/index.ts'
import { createArrivals, createHealth, createOperationFigures, healthHandlers } from './features/health/index.ts'
import {
  type Addresses,
  type Host,
  createActivity,
  createContents,
  createDeleted,
  createDirectory,
  createInstances,
  createLogs,
  createProtection,
  createMonitor,
  createSleep,
  createTraffic,
  createVersions,
  defineLifecycle,
  deletedHandlers,
  contextHandlers,
  createContext,
  haHandlers,
  instanceHandlers,
  loadInstance,
  versionHandlers,
} from './features/instances/index.ts'
import { createInvitationLinks, createInvitations, invitationHandlers } from './features/invitations/index.ts'
import { createLibrary, instanceLibraryHandlers, libraryHandlers } from './features/library/index.ts'
import { createMail } from './features/mail/index.ts'
import { createMetrics, metricsHandlers } from './features/metrics/index.ts'
import { createOauth, oauthHandlers, signInCookie } from './features/oauth/index.ts'
import {
  createPipelines,
  listStagesOf,
  loadPipeline,
  pipelineHandlers,
  refusesErrors,
} from './features/pipelines/index.ts'
import { createRealtime } from './features/realtime/index.ts'
import { createEditors, createRuntime, runtimeHandlers } from './features/runtime/index.ts'
import {
  createAnswers,
  createPasskeys,
  createSecondFactor,
  createSecondStep,
  createSteps,
  secondFactorHandlers,
  stepCookie,
} from './features/second-factor/index.ts'
import { createLicences, createSettings, licenceHandlers, settingsHandlers } from './features/settings/index.ts'
import { createSetup, createSetupRestore, type Restoring, setupHandlers } from './features/setup/index.ts'
import { createSnapshots, dropSnapshots, snapshotHandlers } from './features/snapshots/index.ts'
import { createStatistics, createTelemetry, statsHandlers } from './features/stats/index.ts'
import { createMembers, createTeams, loadTeam, teamHandlers } from './features/teams/index.ts'
import { createPersonalTokens, createTokens, editorTokenSweep, tokenHandlers } from './features/tokens/index.ts'
import { createUsers, userHandlers } from './features/users/index.ts'
import type { Actor } from './platform/authz/actor.ts'
import type { Clock } from './platform/clock.ts'
import type { Marker, Vault } from './platform/crypto.ts'
import type { Keyring } from './platform/keys/keyring.ts'
import type { Database } from './platform/db/database.ts'
import type { Disk } from './platform/disk.ts'
import type { Bus } from './platform/events/bus.ts'
import type { Handlers } from './platform/http/context.ts'
import type { TargetLoader } from './platform/http/routes.ts'
import type { Jobs } from './platform/jobs/jobs.ts'
import type { Trust } from './platform/proxy/index.ts'
import { createSweeper } from './platform/sweeper.ts'
import { version } from './version.ts'

export interface FeatureDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  jobs: Jobs
  driver: Driver
  vault: Vault
  /** Under which the vault seals; back-ups carry the current one. */
  keys: Keyring
  /** Shows that an entry of the audit log is ours. */
  mark: Marker
  addresses: Addresses
  trust: Trust
  config: Config
  restoring: Restoring
  secure: boolean
  disk: Disk
  host: Host
}

/** Builds every feature and says how requests find their caller, their target and their handler. */
export function createFeatures(base: FeatureDependencies) {
  const { database, bus, addresses, config } = base
  const { baseUrl } = addresses
  const audit = createAudit(base)
  /** Two processes of an instance need a driver that can. */
  const offered = { ...config.features, ha: config.features.ha && base.driver.pair !== undefined }
  const mail = createMail(base)
  const settings = createSettings({
    ...base,
    audit,
    baseUrl,
    version,
    mail: mail.settings,
    gaps: base.driver.capabilities.gaps,
    features: offered,
  })
  const licences = createLicences({ ...base, audit })
  const sealer = createSealer(base)
  const retention = createRetention({
    ...base,
    audit,
    days: async () => (await settings.all())['audit:retention-days'],
  })
  const auditExport = createAuditExport({ ...base, audit })
  const integrity = createIntegrity(base)
  const sessions = createSessions(base)
  const tokens = createTokens(base)
  const report = createTelemetry({
    ...base,
    settings: settings.all,
    remember: (tx, told) => settings.set(tx, 'telemetry:told', told),
  })
  const stats = createStatistics({
    ...base,
    audit,
    tokens,
    limits: async () => (await settings.all()).license?.limits,
    noteToken: (tx, present) => settings.set(tx, 'platform:stats:token', present),
    report,
  })
  const steps = createSteps(base)
  const teams = createTeams({ ...base, audit, baseUrl })
  const editors = createEditors({ ...base, tokens })
  const guesses = createGuesses(base)
  const links = createLinks({ ...base, baseUrl })
  const browsers = createBrowsers(base)
  const notices = createNotices({ ...base, mail })
  const people = { ...base, audit, mail, sessions, links, guesses, browsers, notices, editors, baseUrl }
  const termsRequired = async () => (await settings.all())['user:tcs-required']
  const accounts = createAccounts({
    ...people,
    termsRequired,
    secondFactor: steps,
  })
  const members = createMembers({ ...base, audit, baseUrl, editors })
  const inviting = {
    ...people,
    members,
    externalAllowed: async () => (await settings.all())['team:user:invite:external'],
  }
  const invitations = createInvitations(inviting)
  const invitationLinks = createInvitationLinks(inviting)
  const ownSessions = createOwnSessions({ ...people, accounts })
  const passwords = createPasswords({
    ...people,
    accounts,
    resetAllowed: async () => (await settings.all())['user:reset-password'],
  })
  const profiles = createProfiles({
    ...people,
    accounts,
    isMember: async (userId, teamId) => (await teams.roleOf(teamId, userId)) !== undefined,
    leaveAllTeams: members.leaveAll,
  })
  const registrations = createRegistrations({
    ...people,
    accounts,
    settings: settings.all,
    isInvited: invitations.isInvited,
    isInvitedBy: invitations.holds,
    admits: invitationLinks.admits,
    take: invitationLinks.take,
    verified: invitations.adopt,
    createTeam: teams.createPersonal,
  })
  const users = createUsers({ ...people, accounts, registrations, passwords, profiles, tokens, teams, termsRequired })
  const passkeys = createPasskeys({ ...base, baseUrl })
  const answers = createAnswers({ ...base, passkeys })
  const factors = createSecondFactor({
    ...base,
    audit,
    mail,
    accounts,
    answers,
    passkeys,
    guesses,
    isRequired: async () => (await settings.all())['user:mfa-required'],
  })
  const secondStep = createSecondStep({ ...base, audit, mail, accounts, browsers, steps, answers, passkeys })
  const personalTokens = createPersonalTokens({ ...base, audit })
  const activity = createActivity(base)
  const traffic = createTraffic({ ...base, activity })
  const ground = { ...base, audit, tokens, traffic, platformUrl: localUrl(config), leaving: dropSnapshots }
  const protection = createProtection(ground)
  const lifecycle = { ...ground, protection }
  const catalogue = createCatalogue({
    ...base,
    audit,
    baseUrl,
    people: async (ids) => (await accounts.listById(ids)).map((row) => userSummaryView(row, baseUrl)),
    templateChanged: protection.templateChanged,
    templateSaved: protection.enforceAll,
  })
  const operations = defineLifecycle(lifecycle)
  const versions = createVersions(base)
  const instances = createInstances({ ...lifecycle, catalogue, versions, isHaOn: offered.ha })
  const deleted = createDeleted(lifecycle)
  const contents = createContents({ ...base, versions })
  const snapshots = createSnapshots({ ...base, audit, baseUrl, contents, versions })
  const deployments = createDeployments({
    ...base,
    audit,
    catalogue,
    contents,
    versions,
    snapshots,
    launch: instances.launch,
    roleOf: teams.roleOf,
    refusesErrors: async (source, target) => refusesErrors(base.database.read, source, target),
    lifecycle: operations,
    steadySeconds: config.steadySeconds,
  })
  const memberOf = async (teamId: string, userId: string | undefined) => {
    const person = await accounts.find(userId)
    return person && (await teams.roleOf(teamId, person.id)) !== undefined ? person : undefined
  }
  const devices = createDevices({ ...base, audit })
  const deviceLink = createDeviceLink({ ...base, audit, contents, snapshots, memberOf })
  const pipelines = createPipelines({ ...base, audit, instances, deployments })
  const monitor = createMonitor(lifecycle, instances, operations)
  const metrics = createMetrics({ ...base, home: config.home, instances, takeRequests: traffic.takeRequests })
  const sleep = createSleep({ ...base, activity, instances })
  const { instanceDomain } = config
  const directory = createDirectory({ ...base, activity, traffic, sleep, wake: instances.wake, instanceDomain })
  const applications = createApplications({ ...base, audit, instances, baseUrl })
  const runtime = createRuntime({
    ...base,
    audit,
    memberOf,
    editorOf: tokens.editorOf,
    editorAddress: tokens.editorAddress,
    membersOf: teams.membersAmong,
    stagesOf: async (instanceId) => listStagesOf(base.database.read, instanceId),
    features: config.features,
    contextMb: config.contextMb,
    versions,
  })
  const library = createLibrary({ ...base, audit })
  const oauth = createOauth({
    ...base,
    tokens,
    instanceUrl: addresses.instanceUrl,
    isActive: async (userId) => (await accounts.find(userId))?.suspended === 0,
    roleOf: teams.roleOf,
  })
  const setup = createSetup({
    ...base,
    audit,
    accounts,
    sessions,
    browsers,
    settings,
    teams,
    catalogue,
    applications,
    instances,
    count: stats.record,
  })
  const restore = createSetupRestore({ ...base, isDone: setup.isDone })
  const realtime = createRealtime({
    bus,
    consoleOrigin: new URL(baseUrl).origin,
    teamIdsOf: async (userIds) => teams.idsOf(userIds, roles.viewer),
    stillSignedIn: async (actors) => ownSessions.signedIn(actors, (await settings.all())['user:mfa-required']),
  })
  const sweeper = createSweeper(base, [...accountSweeps, editorTokenSweep])
  const backups = createBackups({ ...base, audit, version })
  const arrivals = createArrivals(base.trust)
  const operation = createOperationFigures({ ...base, backups, mail })
  const health = createHealth({ ...base, audit, backups, arrivals, countMoved: instances.countMoved })
  const cookie = sessionCookie(base.secure)
  const cookies = {
    session: cookie,
    browser: browserCookie(base.secure),
    step: stepCookie(base.secure),
    signIn: signInCookie(base.secure),
  }

  const handlers: Handlers<RouteId> = {
    ...setupHandlers(setup, restore, cookies),
    ...settingsHandlers(settings),
    ...accountHandlers({ accounts, registrations, passwords, profiles, ownSessions }, cookies),
    ...userHandlers(users),
    ...invitationHandlers(invitations, invitationLinks),
    ...secondFactorHandlers(factors, secondStep, cookies),
    ...tokenHandlers(personalTokens),
    ...oauthHandlers(oauth, cookies.signIn),
    ...teamHandlers(teams, members, audit, auditExport),
    ...applicationHandlers(applications, instances),
    ...catalogueHandlers(catalogue),
    ...snapshotHandlers(snapshots),
    ...deploymentHandlers(deployments),
    ...pipelineHandlers(pipelines, config.features['devops-pipelines']),
    ...deviceHandlers(devices, snapshots, config.features.devices),
    ...deviceLinkHandlers(deviceLink, config.features.devices),
    ...instanceHandlers(instances, createLogs(base), audit, deployments),
    ...haHandlers(instances),
    ...contextHandlers(createContext({ ...base, audit })),
    ...metricsHandlers(metrics),
    ...deletedHandlers(deleted),
    ...versionHandlers(versions, deployments),
    ...runtimeHandlers(runtime),
    ...libraryHandlers(library, config.features['shared-library']),
    ...instanceLibraryHandlers(library),
    ...realtime.handlers,
    ...backupHandlers(backups),
    ...healthHandlers(health),
    ...debugHandlers(database),
    ...auditHandlers(audit, auditExport, integrity),
    ...licenceHandlers(licences),
    ...statsHandlers(stats),
  }

  async function authenticate(request: FastifyRequest): Promise<Actor> {
    const address = base.trust.clientAddress(request.raw) ?? ''
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const session = bearer === undefined ? request.cookies[cookie.name] : undefined
    const found =
      bearer !== undefined
        ? await (bearer.startsWith('ffd_') ? devices : tokens).actorOf(bearer, address)
        : session && (await sessions.actorOf(session, address))
    return found || { kind: 'anonymous', address }
  }

  /** Whoever is not signed in as a person is a member of nothing. */
  const load: TargetLoader = async (target, keys, userId = '') => {
    if (target === 'team') {
      // Devices are added with the team under its plain name.
      const { teamSlug } = keys
      const teamId = keys.teamId ?? keys.team
      if (teamId === undefined && teamSlug === undefined) return undefined
      const row = await loadTeam(database.read, teamId === undefined ? { slug: teamSlug! } : { id: teamId }, userId)
      return row && { teamId: row.id, role: row.role ?? undefined, team: row }
    }
    if (target === 'application') {
      const row =
        keys.applicationId === undefined ? undefined : await loadApplication(database.read, keys.applicationId, userId)
      const team = row && { id: row.team_id, name: row.team_name, slug: row.team_slug }
      return row && { teamId: row.team_id, role: row.role ?? undefined, application: { ...row, team } }
    }
    if (target === 'pipeline') {
      const row = keys.pipelineId === undefined ? undefined : await loadPipeline(database.read, keys.pipelineId, userId)
      return row && { teamId: row.team_id, role: row.role ?? undefined, pipeline: row.pipeline }
    }
    if (target === 'device') {
      const row = keys.deviceId === undefined ? undefined : await loadDevice(database.read, keys.deviceId, userId)
      return row && { teamId: row.team_id, role: row.role ?? undefined, device: row }
    }
    const row = keys.instanceId === undefined ? undefined : await loadInstance(database.read, keys.instanceId, userId)
    return row && { teamId: row.team_id, role: row.role ?? undefined, instanceId: row.id, instance: row }
  }

  return {
    handlers,
    authenticate,
    load,
    settings,
    sealer,
    retention,
    stats,
    report,
    licences,
    setup,
    backups,
    operation,
    deleted,
    monitor,
    activity,
    metrics,
    sleep,
    directory,
    realtime,
    sweeper,
    arrivals,
    cookie,
    /** Names of the cookies that belong to the console alone. */
    cookieNames: Object.values(cookies).map(({ name }) => name),
    accounts,
    ownSessions,
    mail,
    teams,
    applications,
    catalogue,
    tokens,
    personalTokens,
    sessions,
  }
}
