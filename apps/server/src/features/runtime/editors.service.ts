import type { Driver } from '@app/drivers'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import type { Vault } from '../../platform/crypto.ts'
import { afterCommit, type Database } from '../../platform/db/database.ts'
import { objectColumn } from '../../platform/db/json.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import type { Tokens } from '../tokens/index.ts'
import { lockInstance } from '../instances/index.ts'
import { readStorage, storageContext, writeStorage } from '../storage/index.ts'

export interface EditorsDependencies {
  database: Database
  clock: Clock
  log: Logger
  tokens: Tokens
  vault: Vault
  driver: Driver
}

export interface Editors {
  /** Ends what a person has open in editors: their tokens in this transaction, the sessions in the editors after it. */
  signOut(tx: Tx, user: EditorUser): Promise<void>
  /** The same for several people in the editor of one instance. */
  signOutOf(tx: Tx, instanceId: string, users: readonly EditorUser[]): Promise<void>
}

interface EditorUser {
  userId: string
  username: string
}

/** Instances write this themselves, so that only what is needed is asked of it. */
const readSessions = objectColumn('instance_storage.body')
const Session = z.object({ user: z.string(), accessToken: z.string() })
const userOf = (session: unknown) => z.object({ user: z.string() }).safeParse(session).data?.user

/** Editors keep sessions of their own, which must end with the one that opened them. */
export function createEditors({ database, clock, log, tokens, vault, driver }: EditorsDependencies): Editors {
  /** The sessions as Node-RED stored them with the platform. */
  async function sessionsOf(db: Db, instanceId: string): Promise<Record<string, unknown>> {
    const stored = await readStorage(db, instanceId, 'sessions')
    return stored === undefined
      ? {}
      : readSessions(vault.open(stored, storageContext(instanceId, 'sessions')), instanceId)
  }

  /** Forgets the sessions of an instance without a process, which would find them again at its start. */
  async function forget(instanceId: string, username: string): Promise<void> {
    await database.transact(async (tx) => {
      const row = await lockInstance(tx, instanceId, database.kind === 'postgres')
      if (!row || row.observed === 'running' || row.observed === 'safe') return
      const sessions = await sessionsOf(tx, instanceId)
      const others = Object.entries(sessions).filter(([, session]) => userOf(session) !== username)
      if (others.length === Object.keys(sessions).length) return
      const text = vault.seal(JSON.stringify(Object.fromEntries(others)), storageContext(instanceId, 'sessions'))
      await writeStorage(tx, instanceId, 'sessions', text, clock.now())
    })
  }

  async function revoke(instanceId: string, username: string): Promise<void> {
    try {
      for (const one of Object.values(await sessionsOf(database.read, instanceId))) {
        const session = Session.safeParse(one).data
        if (session?.user === username) await driver.revokeUserToken(instanceId, session.accessToken)
      }
      await forget(instanceId, username)
    } catch (error) {
      // Without its token the editor ends the session itself when it next asks for a new one.
      log.warn({ err: error, instance: instanceId }, 'editor sessions not ended')
    }
  }

  return {
    async signOut(tx, { userId, username }) {
      const instanceIds = await tokens.endEditorSessions(tx, userId)
      afterCommit(tx, () => void Promise.all(instanceIds.map((id) => revoke(id, username))))
    },
    async signOutOf(tx, instanceId, users) {
      const ids = users.map(({ userId }) => userId)
      const ended = await tokens.endEditorSessionsIn(tx, instanceId, ids)
      const signedIn = users.filter(({ userId }) => ended.has(userId))
      afterCommit(tx, () => void Promise.all(signedIn.map(({ username }) => revoke(instanceId, username))))
    },
  }
}
