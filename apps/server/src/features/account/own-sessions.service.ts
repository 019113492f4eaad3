import type { Session } from '@app/contract'
import type { UserActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { fail } from '../../platform/http/failure.ts'
import { type Audit, userScope } from '../audit/index.ts'
import type { Accounts } from './account.service.ts'
import { listUsersById, type UserRow } from './account.store.ts'
import { sessionView } from './account.view.ts'
import { sessionLife } from './sessions.service.ts'
import { hasOtherSessions, listLiveSessions, listSessions } from './sessions.store.ts'

export interface OwnSessionsDependencies {
  database: Database
  clock: Clock
  audit: Audit
  accounts: Accounts
  secondFactorRequired(): Promise<boolean>
}

export type OwnSessions = ReturnType<typeof createOwnSessions>

/** Where a person is signed in, for that person. */
export function createOwnSessions(deps: OwnSessionsDependencies) {
  const { database, clock, audit, accounts } = deps
  const currentOf = (actor: UserActor) => ('session' in actor.via ? actor.via.session : undefined)
  const user = (actor: UserActor) => ({ id: actor.userId, username: actor.username })

  return {
    async list(actor: UserActor): Promise<Session[]> {
      const now = clock.now()
      const rows = await listSessions(database.read, actor.userId, now, now - sessionLife.idle)
      return rows.map((row) => sessionView(row, currentOf(actor) ?? ''))
    },

    /** Ends one session, and whatever is open in editors, since they do not say by which session. */
    async end(actor: UserActor, id: string): Promise<void> {
      if (id !== currentOf(actor)) await accounts.demandProof(actor)
      await database.transact(async (tx) => {
        if (!(await accounts.endSession(tx, user(actor), id))) throw fail('not_found')
        await audit.record(tx, actor, 'user.session.revoked', userScope(actor.userId), {})
      })
    },

    /** Ends all sessions but the one that asks. */
    async endOthers(actor: UserActor): Promise<void> {
      const current = currentOf(actor)
      await accounts.demandProof(actor)
      await database.transact(async (tx) => {
        if (!(await hasOtherSessions(tx, actor.userId, current ?? ''))) return
        await accounts.endAccess(tx, user(actor), current)
        await audit.record(tx, actor, 'user.session.revoked', userScope(actor.userId), {})
      })
    },

    /**
     * Which of these have a session or token that is still good, and a user who is not suspended and has the second
     * factor if one is required? A few queries for all.
     */
    async signedIn(actors: UserActor[]): Promise<Set<UserActor>> {
      const needsFactor = await deps.secondFactorRequired()
      const users = await listUsersById(database.read, [...new Set(actors.map(({ userId }) => userId))])
      const mayListen = (user: UserRow) => !user.suspended && (!needsFactor || user.second_factor === 1)
      const active = new Set(users.filter(mayListen).map(({ id }) => id))
      const now = clock.now()
      const asked = actors.map(currentOf).filter((session) => session !== undefined)
      const sessions = await listLiveSessions(database.read, [...new Set(asked)], now, now - sessionLife.idle)
      const isLive = (actor: UserActor) => {
        const session = currentOf(actor)
        return active.has(actor.userId) && (session === undefined || sessions.has(session))
      }
      return new Set(actors.filter(isLive))
    },
  }
}
