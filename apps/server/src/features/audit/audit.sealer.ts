import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Signer } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { sealOf } from './audit.chain.ts'
import { findCheckpoint, listUnsealed, lockChain, writeCheckpoint, writeSeals } from './audit.chain.store.ts'
import { writeHead } from './audit.head.ts'

const every = 1000
const batch = 500

export interface Sealer {
  /** Gives every committed entry its place in the chain. Returns how many got one. */
  seal(): Promise<number>
  start(): void
  stop(): Promise<void>
}

export interface ChainDependencies {
  database: Database
  clock: Clock
  log: Logger
  signer: Signer
  config: { home: string }
}

async function sealNext(tx: Tx, { database, clock, signer }: Pick<ChainDependencies, 'database' | 'clock' | 'signer'>) {
  await lockChain(tx, database.kind === 'postgres')
  const rows = await listUnsealed(tx, batch)
  if (rows.length === 0) return undefined
  const head = await findCheckpoint(tx, 'head')
  let { position, seal } = head ?? { position: 0, seal: '' }
  const seals = rows.map((row) => {
    position += 1
    seal = sealOf(signer, seal, position, row)
    return { id: row.id, position, seal }
  })
  await writeSeals(tx, seals)
  await writeCheckpoint(tx, signer, 'head', { position, seal, entries: 0, at: clock.now() })
  return { position, seal, count: rows.length }
}

/** Seals every entry that is committed, in this transaction. Returns the last place of the chain. */
export async function sealThrough(
  tx: Tx,
  deps: Pick<ChainDependencies, 'database' | 'clock' | 'signer'>,
): Promise<number> {
  for (let more = true; more; ) more = (await sealNext(tx, deps))?.count === batch
  return Number((await findCheckpoint(tx, 'head'))?.position ?? 0)
}

/**
 * Links entries into the chain shortly after their commit, so that changes that happen at once need not wait for each
 * other's entries. An entry that is committed after one of a higher id comes after it in the chain.
 */
export function createSealer({ database, clock, log, signer, config }: ChainDependencies): Sealer {
  let timer: NodeJS.Timeout | undefined
  let work: Promise<unknown> | undefined

  const sealBatch = () => database.transact((tx) => sealNext(tx, { database, clock, signer }))

  async function seal(): Promise<number> {
    let sealed = 0
    for (;;) {
      const done = await sealBatch()
      if (!done) return sealed
      writeHead(config.home, { position: done.position, seal: done.seal })
      sealed += done.count
      if (done.count < batch) return sealed
    }
  }

  const attempt = () => {
    work ??= seal()
      .catch((error: unknown) => log.error({ err: error }, 'audit entries not sealed'))
      .finally(() => {
        work = undefined
      })
    return work
  }

  return {
    seal,
    start() {
      timer = setInterval(() => void attempt(), every)
    },
    async stop() {
      clearInterval(timer)
      await work
      await attempt()
    },
  }
}
