import type { EditorSession, SessionTable } from '../stack.ts'

type Sessions = Record<string, EditorSession>
interface SessionStorage {
  getSessions(): Promise<unknown>
  saveSessions(sessions: unknown): Promise<void>
}

/**
 * Ends sessions of the editor. Node-RED knows no call for that, but expires sessions and closes their
 * connections once their time is over, so their time is put into the past.
 */
export function createEditorSessions(table: () => SessionTable) {
  /** The object that Node-RED itself works on: it reads it once and gives it away with every save. */
  let live: Sessions = {}

  return {
    /** Wraps the storage, through which Node-RED shows its sessions. */
    watch<T extends SessionStorage>(storage: T): T {
      return {
        ...storage,
        async getSessions() {
          live = ((await storage.getSessions()) ?? {}) as Sessions
          return live
        },
        saveSessions(sessions: unknown) {
          live = sessions as Sessions
          return storage.saveSessions(sessions)
        },
      }
    },
    /** Resolves to whether there was any. */
    async end(matches: (session: EditorSession) => boolean): Promise<boolean> {
      const ended = Object.values(live).filter(matches)
      for (const session of ended) session.expires = 0
      const [first] = ended
      if (first) await table().get(first.accessToken)
      return first !== undefined
    },
  }
}
