import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { newId } from '../ids.ts'
import { type Keyring, WrongKey } from './keyring.ts'
import { beat, forgetServer, forgetSilent } from './keys.store.ts'

const everyMs = 2_000

export interface ServersDependencies {
  database: Database
  home: string
  keys: Keyring
  log: Logger
  /** The key of the platform is one that this server cannot get any more: it must not go on. */
  end(reason: string): void
}

/** Says that this server is there, and follows the database to another master key. */
export function createServers({ database, home, keys, log, end }: ServersDependencies) {
  const { read, kind } = database
  const id = newId()
  const name = `${hostname()}:${home}`
  let timer: NodeJS.Timeout | undefined
  let work: Promise<void> | undefined

  async function look(): Promise<void> {
    // Work that began under the former key has ended by the time of the last look.
    const told = { key_id: keys.current.id, known_keys: keys.all.map(({ id }) => id).join(' ') }
    await keys.refresh()
    await beat(read, kind, { id, name, pid: process.pid, ...told })
  }

  const attempt = () => {
    work ??= look()
      .catch((error: unknown) => {
        if (error instanceof WrongKey) end(error.message)
        else log.warn({ err: error }, 'could not record that this server is alive')
      })
      .finally(() => {
        work = undefined
      })
  }

  return {
    async start(): Promise<void> {
      await forgetSilent(read, kind)
      await look()
      timer = setInterval(attempt, everyMs)
    },
    async stop(): Promise<void> {
      clearInterval(timer)
      await work
      if (timer)
        await forgetServer(read, id).catch((error: unknown) =>
          log.warn({ err: error }, 'this server was not removed from the list of servers'),
        )
    },
  }
}
