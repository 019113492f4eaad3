import type { Application, ApplicationRole, Instance, limited, StoredSettings, TeamRole } from '@app/contract'
import { type Client, createClient } from '@app/client'
import { routeMap } from '@app/client/routes'
import type { App } from '../src/app.ts'
import type { Config } from '../src/config.ts'
import type { Database } from '../src/platform/db/database.ts'
import { isOpen } from '../src/platform/jobs/jobs.store.ts'
import { hashPassword } from '../src/platform/passwords.ts'
import { until } from '../../../tools/test/until.ts'

export { until }

export const password = 'correct horse battery'

export interface TestUser {
  id: string
  username: string
  cookie: string
  client: Client
}
export interface TestTeam {
  id: string
  name: string
  slug: string
}

/** A client that sends this header with every call. */
export function clientWith(address: string, name: string, value: string): Client {
  return createClient({ routes: routeMap, baseUrl: address, timeout: 30_000, headers: () => ({ [name]: value }) })
}

/** Makes people, teams and instances through the services that make them in production. */
export function createBuilder(app: App, address: string, config: Config) {
  const { services, database } = app
  let serial = 0
  let hash: Promise<string> | undefined
  let teamType: Promise<string> | undefined
  let choice: Promise<{ projectType: string; stack: string; template: string }> | undefined

  const build = {
    anonymous: createClient({ routes: routeMap, baseUrl: address, timeout: 30_000 }),

    /** A verified user with `password`, signed in. */
    async user(options: { admin?: boolean; username?: string; name?: string } = {}): Promise<TestUser> {
      serial += 1
      const username = options.username ?? `user-${serial}`
      hash ??= hashPassword(password)
      const passwordHash = await hash
      const { user, token } = await database.transact(async (tx) => {
        const user = await services.accounts.create(tx, {
          username,
          name: options.name ?? username,
          email: `${username}@example.com`,
          passwordHash,
          admin: options.admin ?? false,
        })
        return { user, token: await services.sessions.open(tx, user.id, { address: '127.0.0.1', userAgent: 'test' }) }
      })
      const cookie = `${services.sessionCookie.name}=${token}`
      return { id: user.id, username, cookie, client: clientWith(address, 'cookie', cookie) }
    },

    /** The id of the only team type. */
    async teamType(): Promise<string> {
      teamType ??= database.transact((tx) => services.teamTypes.insert(tx, { name: 'Standard', description: '' }))
      return teamType
    },

    /** Changes a platform setting. */
    async setting<K extends keyof StoredSettings>(key: K, value: StoredSettings[K]): Promise<void> {
      await database.transact((tx) => services.settings.set(tx, key, value))
    },

    /** A team owned by the given user. */
    async team(owner: TestUser, name = `Team ${(serial += 1)}`): Promise<TestTeam> {
      const type = await build.teamType()
      const actor = {
        kind: 'user' as const,
        userId: owner.id,
        username: owner.username,
        name: owner.username,
        admin: false,
        locked: false,
        via: { session: '' },
        address: '127.0.0.1',
      }
      const slug = name.toLowerCase().replaceAll(' ', '-')
      return database.transact((tx) => services.teams.insert(tx, actor, { name, slug, type }))
    },

    /** A new user with this role in the team; 1 for a limited member. */
    async member(team: TestTeam, role: TeamRole | typeof limited): Promise<TestUser> {
      const user = await build.user()
      await database.read
        .insertInto('team_members')
        .values({ team_id: team.id, user_id: user.id, role, created_at: Date.now() })
        .execute()
      return user
    },

    /** Gives a member of the team a role in one application of it. */
    async applicationRole(application: { id: string; teamId: string }, userId: string, role: ApplicationRole) {
      const row = { application_id: application.id, team_id: application.teamId, user_id: userId, role }
      await database.read
        .insertInto('application_members')
        .values({ ...row, created_at: Date.now() })
        .execute()
    },

    /** The defaults of a new platform, for a new instance. */
    async choice() {
      choice ??= database
        .transact((tx) =>
          services.catalogue.createDefaults(tx, [
            { name: 'node-red-5.0', label: 'Node-RED 5.0', properties: { nodered: '5.0.7', memory: 256 } },
            { name: 'node-red-4.1', label: 'Node-RED 4.1', properties: { nodered: '4.1.15', memory: 256 } },
          ]),
        )
        .then(({ type, stack, template }) => ({ projectType: type.id, stack: stack.id, template: template.id }))
      return choice
    },

    application: (owner: TestUser, team: TestTeam, name = `Application ${(serial += 1)}`): Promise<Application> =>
      owner.client.call('application.create', { body: { name, teamId: team.id } }),

    /** An instance that was asked for; use `until` to wait for its state. */
    async instance(
      owner: TestUser,
      application: { id: string },
      name = `instance-${(serial += 1)}`,
    ): Promise<Instance> {
      return owner.client.call('instance.create', {
        body: { name, applicationId: application.id, ...(await build.choice()) },
      })
    },

    /** An instance that has started. Its start makes a token, so that `instanceToken` may be asked only afterwards. */
    async runningInstance(owner: TestUser, application: { id: string }): Promise<Instance> {
      const { id } = await build.instance(owner, application)
      return until(
        () => owner.client.call('instance.get', { params: { instanceId: id } }),
        ({ meta }) => meta.state === 'running',
      )
    },

    /** A token with which calls are made as the instance itself, once it has started. */
    async instanceToken(instance: { id: string; team: { id: string } }): Promise<string> {
      return database.transact((tx) => services.tokens.forInstance(tx, { id: instance.id, team_id: instance.team.id }))
    },

    /** A platform that one person has set up, with a team of theirs. */
    async platform() {
      const admin = await build.user({ admin: true })
      const owner = await build.user()
      const team = await build.team(owner)
      return { admin, owner, team, baseUrl: config.baseUrl }
    },
  }
  return build
}

/** Waits until no job of this database is open. */
export async function untilJobsEnded({ read }: Pick<Database, 'read'>): Promise<void> {
  const open = () => read.selectFrom('jobs').select('id').where(isOpen).execute()
  await until(open, (jobs) => jobs.length === 0)
}
