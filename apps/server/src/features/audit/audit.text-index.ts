import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Database, openDatabase } from '../../platform/db/database.ts'
import type { Run } from '../../platform/features/feature.ts'
import { buildTextIndex, cancelStatement, connectionId, textIndexProgress } from './audit.text-index.store.ts'

/** After a failure, or while the connection of a server that has died still builds it. */
const againMs = 5_000
const cancelEveryMs = 200

export type TextIndex = Required<Pick<Run, 'start' | 'stop'>>

/**
 * Builds the index of the texts of the audit log where a restore has left it out: on PostgreSQL, on the server that
 * runs the instances. PostgreSQL keeps what is true: an index that is missing or not valid is built from the beginning.
 */
export function createTextIndex({
  database,
  log,
  config,
}: {
  database: Database
  log: Logger
  config: { home: string }
}): TextIndex {
  const ending = new AbortController()
  let connection: number | undefined
  let work: Promise<void> | undefined

  async function attempt(): Promise<boolean> {
    // Its queries take minutes, in which PostgreSQL may answer nobody.
    const own = await openDatabase({ home: config.home, url: database.url, pool: 1, patient: true })
    try {
      return await own.read.connection().execute(async (db) => {
        connection = await connectionId(db)
        return !ending.signal.aborted && (await buildTextIndex(db))
      })
    } finally {
      connection = undefined
      await own.close()
    }
  }

  async function build(): Promise<void> {
    const { signal } = ending
    let told = false
    while (!signal.aborted) {
      try {
        if ((await textIndexProgress(database)) === undefined) break
        if (!told) log.info('the search index of the audit log is being built')
        told = true
        if (await attempt()) break
      } catch (error) {
        if (!signal.aborted) log.error({ err: error }, 'the search index of the audit log was not built')
      }
      await sleep(againMs, undefined, { signal }).catch(() => undefined)
    }
    if (told && !signal.aborted) log.info('the search index of the audit log is built')
  }

  return {
    start(isHost) {
      if (isHost && database.kind === 'postgres') work = build()
    },
    async stop() {
      ending.abort()
      // Again and again: one that comes between two statements ends nothing.
      const cancel = () => {
        if (connection !== undefined) cancelStatement(database.read, connection).catch(() => undefined)
      }
      cancel()
      const timer = setInterval(cancel, cancelEveryMs)
      await work
      clearInterval(timer)
    },
  }
}
