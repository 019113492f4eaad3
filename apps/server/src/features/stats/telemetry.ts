import type { StoredSettings } from '@app/contract'
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { version } from '../../version.ts'
import { mayReport } from '../settings/index.ts'
import { countAll } from './stats.store.ts'

const day = 24 * 3_600_000
const patienceMs = 10_000

export interface TelemetryDependencies {
  database: Database
  clock: Clock
  log: Logger
  config: { telemetryUrl?: string }
  settings(): Promise<StoredSettings>
  remember(tx: Tx, told: NonNullable<StoredSettings['telemetry:told']>): Promise<void>
}

/**
 * Tells the vendor once a day how much there is, without anything that names somebody. That it was told is written
 * first: a vendor who does not answer is asked again tomorrow, and never in a hurry. It throws nothing.
 */
export function createTelemetry(deps: TelemetryDependencies): () => Promise<void> {
  const { database, clock, log, config } = deps
  return async () => {
    const stored = await deps.settings()
    const now = clock.now()
    const told = stored['telemetry:told']
    if (!config.telemetryUrl || !mayReport(stored) || (told && now - told.at < day)) return
    const id = told?.id ?? randomUUID()
    await database.transact((tx) => deps.remember(tx, { id, at: now }))
    const { users, teams, states } = await countAll(database.read, now)
    const body = { id, version, node: process.version, database: database.kind, users, teams, instancesByState: states }
    try {
      const signal = AbortSignal.timeout(patienceMs)
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(config.telemetryUrl, { method: 'POST', headers, body: JSON.stringify(body), signal })
      await answer.body?.cancel()
    } catch (error) {
      log.info({ err: error }, 'anonymous counts not sent')
    }
  }
}
