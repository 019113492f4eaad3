import type { RouteId } from '@app/contract'
import type { Driver } from '@app/drivers'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Config, localUrl } from './config.ts'
import {
  accountHandlers,
  createAccounts,
  createGuesses,
  createLinks,
  createOwnSessions,
  createPasswords,
  createProfiles,
  createRegistrations,
  createSessions,
  sessionCookie,
} from './features/account/index.ts'
import { applicationHandlers, createApplications, loadApplication } from './features/applications/index.ts'
import { createAudit } from './features/audit/index.ts'
import { catalogueHandlers, createCatalogue } from './features/catalogue/index.ts'
import {
  type Addresses,
  createActivity,
  createDeleted,
  createDirectory,
  createInstances,
  createMonitor,
  createSleep,
  createVersions,
  defineLifecycle,
  deletedHandlers,
  instanceHandlers,
  loadInstance,
  versionHandlers,
} from './features/instances/index.ts'
import { createInvitations, invitationHandlers } from './features/invitations/index.ts'
import { createMail } from './features/mail/index.ts'
import { createOauth, oauthHandlers } from './features/oauth/index.ts'
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
import { createSettings, settingsHandlers } from './features/settings/index.ts'
import { createSetup, setupHandlers } from './features/setup/index.ts'
import { createMembers, createTeams, loadTeam, teamHandlers } from './features/teams/index.ts'
import { createPersonalTokens, createTokens, tokenHandlers } from './features/tokens/index.ts'
import { createUsers, userHandlers } from './features/users/index.ts'
import type { Actor } from './platform/authz/actor.ts'
import type { Clock } from './platform/clock.ts'
import type { Vault } from './platform/crypto.ts'
import type { Database } from './platform/db/database.ts'
import type { Bus } from './platform/events/bus.ts'
import type { Handlers } from './platform/http/context.ts'
import type { TargetLoader } from './platform/http/routes.ts'
import type { Jobs } from './platform/jobs/jobs.ts'
import { version } from './version.ts'

export interface FeatureDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  jobs: Jobs
  driver: Driver
  vault: Vault
  addresses: Addresses
  config: Config
  secure: boolean
}

/** Builds every feature and says how requests find their caller, their target and their handler. */
export function createFeatures(base: FeatureDependencies) {
  const { database, bus, addresses, config } = base
  const { baseUrl } = addresses
  const audit = createAudit(base)
  const mail = createMail(base)
  const settings = createSettings({
    ...base,
    audit,
    baseUrl,
    version,
    mail: mail.settings,
    gaps: base.driver.capabilities.gaps,
  })
  const sessions = createSessions(base)
  const tokens = createTokens(base)
  const steps = createSteps(base)
  const teams = createTeams({ ...base, audit, baseUrl })
  const editors = createEditors({ ...base, tokens })
  const guesses = createGuesses(base)
  const links = createLinks({ ...base, baseUrl })
  const people = { ...base, audit, mail, sessions, links, guesses, editors, baseUrl }
  const accounts = createAccounts({
    ...people,
    termsRequired: async () => (await settings.all())['user:tcs-required'],
    secondFactor: steps,
  })
  const members = createMembers({ ...base, audit, baseUrl, editors })
  const invitations = createInvitations({
    ...people,
    members,
    externalAllowed: async () => (await settings.all())['team:user:invite:external'],
  })
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
    verified: invitations.adopt,
    createTeam: teams.createPersonal,
  })
  const users = createUsers({ ...people, accounts, registrations, passwords, tokens })
  const passkeys = createPasskeys({ ...base, baseUrl })
  const answers = createAnswers({ ...base, passkeys })
  const factors = createSecondFactor({
    ...base,
    audit,
    accounts,
    answers,
    passkeys,
    guesses,
    isRequired: async () => (await settings.all())['user:mfa-required'],
  })
  const secondStep = createSecondStep({ ...base, audit, accounts, steps, answers, passkeys })
  const personalTokens = createPersonalTokens({ ...base, audit })
  const catalogue = createCatalogue({ ...base, baseUrl })
  const lifecycle = { ...base, audit, tokens, platformUrl: localUrl(config) }
  defineLifecycle(lifecycle)
  const versions = createVersions(base)
  const instances = createInstances({ ...lifecycle, catalogue, versions })
  const deleted = createDeleted(lifecycle)
  const monitor = createMonitor(lifecycle, instances)
  const activity = createActivity(base)
  const sleep = createSleep({ ...base, activity, instances })
  const { instanceDomain } = config
  const directory = createDirectory({ ...base, activity, sleep, wake: instances.wake, instanceDomain })
  const applications = createApplications({ ...base, audit, instances, baseUrl })
  const runtime = createRuntime({ ...base, audit, accounts, roleOf: teams.roleOf, versions })
  const oauth = createOauth({
    ...base,
    tokens,
    instanceUrl: addresses.instanceUrl,
    isActive: async (userId) => (await accounts.find(userId))?.suspended === 0,
    roleOf: teams.roleOf,
  })
  const setup = createSetup({ ...base, audit, accounts, sessions, settings, teams, catalogue, applications, instances })
  const realtime = createRealtime({
    bus,
    consoleOrigin: new URL(baseUrl).origin,
    teamIdsOf: teams.idsOf,
    stillSignedIn: async (actor) => (await ownSessions.isSignedIn(actor)) && !(await factors.isMissing(actor)),
  })
  const cookie = sessionCookie(base.secure)
  const cookies = { session: cookie, step: stepCookie(base.secure) }

  const handlers: Handlers<RouteId> = {
    ...setupHandlers(setup, cookie),
    ...settingsHandlers(settings),
    ...accountHandlers({ accounts, registrations, passwords, profiles, ownSessions }, cookies),
    ...userHandlers(users),
    ...invitationHandlers(invitations),
    ...secondFactorHandlers(factors, secondStep, cookies),
    ...tokenHandlers(personalTokens),
    ...oauthHandlers(oauth),
    ...teamHandlers(teams, members, audit),
    ...applicationHandlers(applications, instances),
    ...catalogueHandlers(catalogue),
    ...instanceHandlers(instances, audit),
    ...deletedHandlers(deleted),
    ...versionHandlers(versions, instances),
    ...runtimeHandlers(runtime),
    ...realtime.handlers,
  }

  async function authenticate(request: FastifyRequest): Promise<Actor> {
    const address = request.ip
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const session = bearer === undefined ? request.cookies[cookie.name] : undefined
    const found =
      bearer !== undefined
        ? await tokens.actorOf(bearer, address)
        : session && (await sessions.actorOf(session, address))
    return found || { kind: 'anonymous', address }
  }

  /** Whoever is not signed in as a person is a member of nothing. */
  const load: TargetLoader = async (target, keys, userId = '') => {
    if (target === 'team') {
      const { teamId, teamSlug } = keys
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
    const row = keys.instanceId === undefined ? undefined : await loadInstance(database.read, keys.instanceId, userId)
    return row && { teamId: row.team_id, role: row.role ?? undefined, instance: row }
  }

  return {
    handlers,
    authenticate,
    load,
    settings,
    setup,
    deleted,
    monitor,
    activity,
    sleep,
    directory,
    realtime,
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
