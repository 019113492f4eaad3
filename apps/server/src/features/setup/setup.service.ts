import { reservedUsernames, type SetupBody, type SetupReply, slugFor, type StackProperties } from '@app/contract'
import type { Driver } from '@app/drivers'
import type { Logger } from 'pino'
import { randomInt } from 'node:crypto'
import type { Config } from '../../config.ts'
import { namesToTry } from '../../config.names.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashToken, newToken, sameSecret } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { hashPassword } from '../../platform/passwords.ts'
import {
  type Accounts,
  actorFor,
  type Browsers,
  type Caller,
  hasAnyUser,
  type Opened,
  passwordFault,
  type Sessions,
} from '../account/index.ts'
import type { Applications } from '../applications/index.ts'
import { type Audit, platformScope } from '../audit/index.ts'
import type { Catalogue, Choice } from '../catalogue/index.ts'
import type { Instances } from '../instances/index.ts'
import type { Settings } from '../settings/index.ts'
import type { TeamTypes } from '../team-types/index.ts'
import type { Teams } from '../teams/index.ts'
import type { Restoring } from './setup.restore.ts'

/** The stacks of a new platform; the first is the default. */
const offeredStacks: { name: string; label: string; properties: StackProperties }[] = [
  { name: 'node-red-5.0', label: 'Node-RED 5.0', properties: { nodered: '5.0.7', memory: 256 } },
  { name: 'node-red-4.1', label: 'Node-RED 4.1', properties: { nodered: '4.1.15', memory: 256 } },
]

export interface SetupDependencies {
  config: Config
  database: Database
  clock: Clock
  log: Logger
  driver: Pick<Driver, 'prepare'>
  audit: Audit
  accounts: Accounts
  sessions: Sessions
  browsers: Browsers
  settings: Settings
  teams: Teams
  teamTypes: TeamTypes
  catalogue: Catalogue
  applications: Applications
  instances: Instances
  restoring: Restoring
  /** Keeps how much there is, for the statistics. */
  count(): Promise<void>
}

export interface Administrator {
  username: string
  email: string
  password: string
  name?: string | undefined
}

export type Setup = ReturnType<typeof createSetup>

/** The first run: whoever holds the one-time link becomes the administrator. */
export function createSetup(deps: SetupDependencies) {
  const { database, accounts, teams, catalogue, settings, audit, restoring } = deps

  const isDone = async () => (await settings.all())['setup:initialised']

  /** Everything a new platform consists of, in one transaction; undefined when somebody else was faster. */
  async function initialise(tx: Tx, admin: Administrator, passwordHash: string, address: string) {
    // Written first: a second claim waits here for the first to commit, and then sees its user.
    await settings.set(tx, 'setup:initialised', true)
    if (await hasAnyUser(tx)) return undefined
    const { username, name, email } = admin
    const user = await accounts.create(tx, { username, name, email, passwordHash, admin: true })
    const teamType = await deps.teamTypes.insert(tx, { name: 'Standard', description: 'A team without limits.' })
    const choice = await catalogue.createDefaults(tx, offeredStacks)
    const actor = actorFor(user, address)
    const ref = { id: user.id, name: user.name, username: user.username, email: user.email }
    await audit.record(tx, actor, 'platform.setup.completed', platformScope, { user: ref })
    return { user, actor, teamType, choice }
  }

  async function sample(
    actor: ReturnType<typeof actorFor>,
    team: { id: string; name: string; slug: string },
    choice: Choice,
  ) {
    const application = await deps.applications.create(actor, team, 'Getting started')
    const name = `sample-${randomInt(1000, 10_000)}`
    return deps.instances.create(actor, team, {
      name,
      applicationId: application.id,
      projectType: choice.type.id,
      stack: choice.stack.id,
      template: choice.template.id,
    })
  }

  return {
    isDone,

    /** Addresses that the set-up page may ask, besides its own, to see whether names of instances lead here. */
    async connects(): Promise<string[]> {
      const instances = namesToTry(deps.config)
      return instances === undefined || (await isDone()) ? [] : [instances]
    },

    /** Makes the Node-RED ready that came with the platform, so that the first instance starts as fast as any other. */
    async prepare(): Promise<void> {
      const begun = performance.now()
      try {
        await deps.driver.prepare?.(offeredStacks[0]!.properties)
        deps.log.info({ ms: Math.round(performance.now() - begun) }, 'the bundled Node-RED is ready')
      } catch (error) {
        // The first instance tries again, and shows the reason.
        deps.log.warn({ err: error }, 'the bundled Node-RED could not be prepared')
      }
    },

    /** A new one-time token while the platform is unclaimed; the former stops working. */
    async offer(): Promise<string | undefined> {
      if (await isDone()) return undefined
      const token = newToken('setup')
      restoring.tokenHash = hashToken(token)
      return token
    },

    /**
     * The same without a browser, from the configuration; does nothing once the platform is claimed.
     * @throws Failure invalid_request for a password that everybody guesses.
     */
    async claimFromConfiguration(admin: Administrator): Promise<boolean> {
      if (await isDone()) return false
      const fault = await passwordFault(admin.password, { ...admin, name: admin.name ?? '' })
      if (fault) throw fail('invalid_request', fault, { field: 'password' })
      const passwordHash = await hashPassword(admin.password)
      return (await database.transact((tx) => initialise(tx, admin, passwordHash, ''))) !== undefined
    },

    /** Claims the platform and signs the administrator in; the link works once. */
    async complete(body: SetupBody, caller: Caller): Promise<Opened & { reply: SetupReply }> {
      const { tokenHash } = restoring
      if (!tokenHash || !sameSecret(hashToken(body.token), tokenHash)) throw fail('invalid_setup_token')
      if (reservedUsernames.includes(body.username.toLowerCase())) {
        throw fail('invalid_username', `The username ${body.username} is reserved`, { field: 'username' })
      }
      const fault = await passwordFault(body.password, { ...body, name: body.name ?? '' })
      if (fault) throw fail('invalid_request', fault, { field: 'password' })
      const passwordHash = await hashPassword(body.password)
      const { token, browser, made, team } = await database.transact(async (tx) => {
        const made = await initialise(tx, body, passwordHash, caller.address)
        if (!made) throw fail('invalid_setup_token')
        const slug = body.team && (slugFor(body.team.name) || made.user.username_key)
        const team =
          body.team && slug
            ? await teams.insert(tx, made.actor, { name: body.team.name, slug, type: made.teamType })
            : undefined
        const known = await deps.browsers.remember(tx, made.user.id, caller.browser)
        return { made, team, browser: known.token, token: await deps.sessions.open(tx, made.user.id, caller) }
      })
      delete restoring.tokenHash
      await catalogue.prepareStacks()
      const instance = team && body.team?.sample ? await sample(made.actor, team, made.choice) : undefined
      // Counted again every few minutes anyway.
      await deps.count().catch((error: unknown) => deps.log.warn({ err: error }, 'statistics not kept'))
      const reply = {
        ...(team ? { team: { id: team.id, slug: team.slug } } : {}),
        ...(instance ? { instance: { id: instance.id, name: instance.name } } : {}),
      }
      return { token, browser, reply }
    },
  }
}
