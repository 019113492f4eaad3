import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createVault, type Keys, type MasterKey, masterKey } from '../crypto.ts'
import type { Database } from '../db/database.ts'
import type { Tx } from '../db/tables.ts'
import { currentRow, type Keyring, keyContext } from './keyring.ts'
import { insertKey, type KeyRow, listKeys, listServers, forgetSilent, type ServerRow, writeKeys } from './keys.store.ts'
import type { SealedColumn } from './sealed.columns.ts'
import { resealAll } from './reseal.ts'

export interface RotationDependencies {
  database: Database
  keys: Keyring
  columns: readonly SealedColumn[]
  /** Names what holds sealed values that no place knows, such as 'imports'; it ends by itself. Undefined without any. */
  heldUpBy(): Promise<string | undefined>
  /** Ends the time of the former keys in the audit log, in this transaction. Returns the last position that carries their MACs. */
  closeAudit(tx: Tx): Promise<number>
  /** Records that it was done, in the transaction that ends it. */
  record(tx: Tx): Promise<void>
  say(text: string): void
}

const lookMs = 500

/**
 * Replaces the master key while servers run, or ends what a killed run began. First every server learns the next key;
 * then it becomes the current one, and every server seals under it; then everything is sealed once more; then the former
 * key opens nothing that is still there. The former key stays, sealed under the new one, to check old audit entries by.
 * @returns how many values were sealed once more, and which could not be opened by any key.
 */
export async function rotateKey(deps: RotationDependencies): Promise<{ values: number; lost: string[] }> {
  const { database, keys, say } = deps
  const rows = await listKeys(database.read)
  if (rows.some(({ handoff }) => handoff !== null)) say('Going on with what an earlier run began.')
  else await exchange(deps, rows)
  await keys.refresh()
  await everyServer(deps, ({ key_id }) => key_id === keys.current.id)
  const result = await resealUntilDone(deps)
  await database.transact(async (tx) => {
    const until = await deps.closeAudit(tx)
    await deps.record(tx)
    const now = await listKeys(tx)
    await writeKeys(
      tx,
      now.map((row) =>
        row.state === 'former' ? { ...row, audit_until: row.audit_until ?? until } : { ...row, handoff: null },
      ),
    )
  })
  await keys.refresh()
  return result
}

/** Makes the next key known to every server, and then the current one. */
async function exchange(deps: RotationDependencies, rows: readonly KeyRow[]): Promise<void> {
  const { database, keys } = deps
  if (!rows.some(({ state }) => state === 'next')) {
    const next = masterKey(randomBytes(32))
    await insertKey(database.read, sealedRow(keys, next, 'next', Date.now()))
  }
  await keys.refresh()
  const row = (await listKeys(database.read)).find(({ state }) => state === 'next')
  const next = keys.all.find(({ id }) => id === row?.id)
  // Another run of this command was faster.
  if (!next) return
  await everyServer(deps, ({ known_keys }) => known_keys.split(' ').includes(next.id))
  const former = keys.current
  const under: Keys = { current: next, all: [next] }
  await database.transact(async (tx) => {
    const now = await listKeys(tx)
    if (!now.some(({ id, state }) => id === next.id && state === 'next')) return
    const handoff = createVault({ current: former, all: [former] }).seal(text(next), keyContext(next.id))
    await writeKeys(tx, [
      ...now
        .filter(({ id }) => id !== next.id)
        .map(({ id, made_at, audit_until }) => ({
          ...sealedRow(under, keys.all.find((one) => one.id === id)!, 'former', Number(made_at)),
          audit_until,
        })),
      currentRow(next, handoff),
    ])
  })
}

const text = ({ secret }: MasterKey) => secret.toString('base64')

const sealedRow = (under: Keys, key: MasterKey, state: KeyRow['state'], madeAt: number): KeyRow => ({
  id: key.id,
  state,
  sealed: createVault(under).seal(text(key), keyContext(key.id)),
  handoff: null,
  audit_until: null,
  made_at: madeAt,
})

/** Resolves when this is true of every server that is alive. */
async function everyServer({ database, say }: RotationDependencies, isSo: (one: ServerRow) => boolean): Promise<void> {
  let told = ''
  for (;;) {
    await forgetSilent(database.read, database.kind)
    const late = (await listServers(database.read)).filter((one) => !isSo(one))
    if (late.length === 0) return
    const names = late.map(({ name, pid }) => `${name} (process ${pid})`).join(', ')
    if (names !== told) say(`Waiting for ${names} to learn the new key. One that is dead is left out after a minute.`)
    told = names
    await delay(lookMs)
  }
}

async function resealUntilDone(deps: RotationDependencies): Promise<{ values: number; lost: string[] }> {
  const { database, keys, columns, say } = deps
  const vault = createVault(keys)
  let values = 0
  for (let told = false; ; ) {
    const heldUpBy = await deps.heldUpBy()
    const pass = await resealAll(database, vault, columns)
    values += pass.values
    if (pass.values > 0) continue
    if (heldUpBy === undefined) return { values, lost: pass.lost }
    if (!told) say(`Waiting for ${heldUpBy} that are under way.`)
    told = true
    await delay(lookMs)
  }
}
