import { platformScope } from './audit.scopes.ts'
import type { Audit } from './audit.service.ts'
import { findCheckpoint, listSealed, lockChain, removeThrough, writeCheckpoint } from './audit.chain.store.ts'
import type { ChainDependencies } from './audit.sealer.ts'
import { isSealed } from './audit.chain.ts'
import type { AuditRow } from './audit.store.ts'
import { systemActor } from '../../platform/authz/actor.ts'
import { iso } from '../../platform/clock.ts'

const day = 24 * 3_600_000
const every = 3_600_000
const batch = 2000

export interface Retention {
  /** Removes the entries that are older than the setting allows, oldest first. Returns how many. */
  trim(): Promise<number>
  start(): void
  stop(): Promise<void>
}

/** Removes old entries in batches. Each leaves a signed checkpoint of where the chain begins now, and an entry that says so. */
export function createRetention({
  database,
  clock,
  log,
  signer,
  audit,
  days,
}: ChainDependencies & { audit: Audit; days(): Promise<number | null> }): Retention {
  let timer: NodeJS.Timeout | undefined
  let work: Promise<unknown> | undefined

  /** Altered entries must stay to be found: removing them would leave an intact chain. */
  function demandWhole(rows: AuditRow[], from: { position: number; seal: string }): void {
    let { position, seal } = from
    for (const row of rows) {
      position += 1
      if (Number(row.position) !== position || !isSealed(signer, seal, position, row))
        throw new Error(`The audit log was altered at position ${position} of its chain; nothing is removed`)
      seal = row.seal ?? ''
    }
  }

  const trimBatch = (before: number) =>
    database.transact(async (tx) => {
      await lockChain(tx, database.kind === 'postgres')
      const cut = await findCheckpoint(tx, 'cut')
      const oldest = await listSealed(tx, cut?.position ?? 0, batch)
      const kept = oldest.findIndex(({ created_at }) => created_at >= before)
      const head = await findCheckpoint(tx, 'head')
      // The newest entry stays, so that the chain has always an end to go on from.
      const gone = (kept === -1 ? oldest : oldest.slice(0, kept)).filter((row) => row.position !== head?.position)
      const last = gone.at(-1)
      if (!last) return 0
      demandWhole(gone, cut ?? { position: 0, seal: '' })
      const position = Number(last.position)
      const entries = (cut?.entries ?? 0) + gone.length
      await writeCheckpoint(tx, signer, 'cut', { position, seal: last.seal ?? '', entries, at: clock.now() })
      await removeThrough(tx, position)
      const info = { entries: gone.length, before: iso(before), position, seal: last.seal }
      await audit.record(tx, systemActor, 'platform.audit-log.trimmed', platformScope, { info })
      return gone.length
    })

  async function trim(): Promise<number> {
    const keep = await days()
    if (keep === null) return 0
    for (let removed = 0; ; ) {
      const gone = await trimBatch(clock.now() - keep * day)
      removed += gone
      if (gone < batch) return removed
    }
  }

  const attempt = () => {
    work ??= trim()
      .catch((error: unknown) => log.error({ err: error }, 'old audit entries not removed'))
      .finally(() => {
        work = undefined
      })
  }

  return {
    trim,
    start() {
      timer = setInterval(attempt, every)
    },
    async stop() {
      clearInterval(timer)
      await work
    },
  }
}
