import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Database } from '../../platform/db/database.ts'
import { releaseHost, takeHost } from './instances.host.store.ts'

const beatMs = 15_000

/** The mark of a FORGE_HOME, made once; who copies the folder copies it. */
function markOf(home: string): string {
  const file = join(home, 'home-id')
  try {
    writeFileSync(file, randomUUID(), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8')
}

/**
 * Which of several servers on one PostgreSQL runs the instances. Their processes and files are those of one FORGE_HOME,
 * so a server with another one would take all of them for missing, and start each a second time.
 */
export function createHost({ database, home, log }: { database: Database; home: string; log: Logger }) {
  const isShared = database.kind === 'postgres'
  const mark = isShared ? markOf(home) : ''
  let timer: NodeJS.Timeout | undefined

  async function beat(): Promise<void> {
    if (await takeHost(database.read, mark)) return
    clearInterval(timer)
    log.error('another server took the instances over, since this one was not heard of for a minute: end this one')
  }

  return {
    /** True when this server is to run the instances: nobody else did within the last minute, or it was this one. */
    async take(): Promise<boolean> {
      if (!isShared) return true
      if (!(await takeHost(database.read, mark))) {
        log.warn(
          'a server with another FORGE_HOME runs the instances of this database; this one serves the console alone',
        )
        return false
      }
      timer = setInterval(() => {
        beat().catch((error: unknown) => log.warn({ err: error }, 'could not say that the instances run here'))
      }, beatMs)
      return true
    },
    /** A server that ends in order leaves the instances to the next one at once. */
    async stop(): Promise<void> {
      if (!timer) return
      clearInterval(timer)
      await releaseHost(database.read, mark).catch((error: unknown) => log.warn({ err: error }, 'not released'))
    },
  }
}
