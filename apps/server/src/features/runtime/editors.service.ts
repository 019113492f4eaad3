import type { Driver } from '@app/drivers'
import type { Logger } from 'pino'
import type { Vault } from '../../platform/crypto.ts'
import { afterCommit, type Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Tokens } from '../tokens/index.ts'
import { readStorage, storageContext } from '../instances/index.ts'

export interface EditorsDependencies {
  database: Database
  log: Logger
  tokens: Tokens
  vault: Vault
  driver: Driver
}

export interface Editors {
  /** Ends what a person has open in editors: their tokens in this transaction, the sessions in the editors after it. */
  signOut(tx: Tx, user: { userId: string; username: string }): Promise<void>
}

/** Editors keep sessions of their own, which must end with the one that opened them. */
export function createEditors({ database, log, tokens, vault, driver }: EditorsDependencies): Editors {
  /** The session tokens of this person, as Node-RED stored them with the platform. */
  async function sessionsOf(instanceId: string, username: string): Promise<string[]> {
    const stored = await readStorage(database.read, instanceId, 'sessions')
    if (stored === undefined) return []
    const sessions = JSON.parse(vault.open(stored, storageContext(instanceId, 'sessions'))) as Record<string, unknown>
    return Object.values(sessions).flatMap((session) => {
      const { user, accessToken } = (session ?? {}) as { user?: unknown; accessToken?: unknown }
      return user === username && typeof accessToken === 'string' ? [accessToken] : []
    })
  }

  async function revoke(instanceId: string, username: string): Promise<void> {
    try {
      for (const token of await sessionsOf(instanceId, username)) await driver.revokeUserToken(instanceId, token)
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
  }
}
