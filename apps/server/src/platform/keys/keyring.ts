import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { createVault, type Keys, type MasterKey, masterKey, oneKey } from '../crypto.ts'
import type { Database } from '../db/database.ts'
import { keyFileOf, makeKeyFile, readKeyFile, replaceKeyFile } from './key.file.ts'
import { countAlive, insertKey, type KeyRow, listKeys, writeKeys } from './keys.store.ts'
import type { SealedColumn } from './sealed.columns.ts'
import { proveKey } from './prove.ts'

/** The key of this server is not the one of its database. The message is for people. */
export class WrongKey extends Error {
  override name = 'WrongKey'
}

export interface KeyringOptions {
  database: Database
  home: string
  /** From the settings; absent: the file in the home. */
  configured?: Buffer | undefined
  columns: readonly SealedColumn[]
  /** Other evidence of whose database it is: true, false, or undefined when there is none. */
  proves(keys: Keys): Promise<boolean | undefined>
  /** Nobody has an account yet, so nothing can be lost. */
  isNobodys(): Promise<boolean>
}

export interface Keyring extends Keys {
  /** Reads what the database says about keys. @throws WrongKey when it has gone on to a key that this server cannot get. */
  refresh(): Promise<void>
  /** Makes the database remember its key; after the schema is there. */
  settle(): Promise<void>
  /** Was replacing the key begun, and not ended? */
  isReplacing(): Promise<boolean>
  /** The settings name a former key: it opens nothing after the next start. */
  isOutdated(): boolean
}

const checkContext = (id: string) => `master-key:${id}:check`
export const keyContext = (id: string) => `master-key:${id}`

const remedy = (home: string) =>
  `Put the file ${keyFileOf(home)} of the former folder back, or set FORGE_SECRET_KEY_FILE to a file with the key of this platform. ` +
  'Each server that uses this database needs the same key.'
const refusals = {
  none: (home: string) =>
    `The database holds secrets of a master key, and this server has no key. ${remedy(home)} Nothing was changed.`,
  other: (home: string) =>
    `The database belongs to another master key than the one of this server. ${remedy(home)} Nothing was changed.`,
  former: (home: string) =>
    `The master key of this platform was replaced, and this server has a former one. Give it the new key: copy keys/master.key from the FORGE_HOME where the key was replaced to ${keyFileOf(home)}, or set FORGE_SECRET_KEY_FILE to a file with it. Nothing was changed.`,
}

/**
 * The keys that a server works with, judged against its database, of which nothing is changed until `settle`.
 * @throws WrongKey
 */
export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  const { database, home, configured } = options
  const given = configured ?? readKeyFile(home)
  const own = given && oneKey(given)
  let rows = await keysOf(database)
  if (rows.length > 0 && (await isAbandoned(options, rows, own))) {
    await database.transact((tx) => writeKeys(tx, []))
    rows = []
  }
  if (rows.length === 0 && !(await isProven(options, own)) && !(await options.isNobodys()))
    throw new WrongKey(own ? refusals.other(home) : refusals.none(home))
  let keys: Keys | undefined = rows.length > 0 ? unlocked(rows, own, home) : own

  const use = (next: Keys) => {
    keys = next
    // Where the settings name the former key the file is for people to take the new one from.
    const isReplaced = next.current.id !== (given && masterKey(given).id) && given !== undefined
    if (isReplaced && !readKeyFile(home)?.equals(next.current.secret)) replaceKeyFile(home, next.current.secret)
  }

  const known = () => {
    if (!keys) throw new WrongKey(refusals.none(home))
    return keys
  }

  return {
    get current() {
      return known().current
    },
    get all() {
      return known().all
    },
    isOutdated: () => configured !== undefined && masterKey(configured).id !== known().current.id,
    isReplacing: async () =>
      (await listKeys(database.read)).some(({ state, handoff }) => state === 'next' || handoff !== null),
    async refresh() {
      use(unlocked(await listKeys(database.read), keys, home))
    },
    async settle() {
      keys ??= oneKey(makeKeyFile(home))
      if (rows.length === 0) await insertKey(database.read, currentRow(keys.current))
      // Another server may have been faster, with a key of its own.
      use(unlocked(await listKeys(database.read), keys, home))
    },
  }
}

/** Can this key be taken for that of a database which does not say so itself? */
async function isProven({ database, columns, proves }: KeyringOptions, own: Keys | undefined): Promise<boolean> {
  const proof = await proveKey(database, own, columns)
  if (proof !== 'empty') return proof === 'opens'
  return own ? (await proves(own)) !== false : (await proves(oneKey(randomBytes(32)))) === undefined
}

/**
 * A platform that nobody has set up may have lost its key, as when restoring a backup was cut off. Any other key will
 * do then, unless another server just uses it.
 */
async function isAbandoned(
  { database, home, isNobodys }: KeyringOptions,
  rows: readonly KeyRow[],
  own: Keys | undefined,
) {
  try {
    unlocked(rows, own, home)
    return false
  } catch (error) {
    if (!(error instanceof WrongKey)) throw error
    return (await isNobodys()) && (await countAlive(database.read, database.kind)) === 0
  }
}

/** None for a schema without the table. */
async function keysOf(database: Database): Promise<KeyRow[]> {
  const tables = await (database.read as Kysely<unknown>).introspection.getTables()
  return tables.some(({ name }) => name === 'master_keys') ? listKeys(database.read) : []
}

export function currentRow(key: MasterKey, handoff: string | null = null): KeyRow {
  const sealed = createVault({ current: key, all: [key] }).seal('', checkContext(key.id))
  return { id: key.id, state: 'current', sealed, handoff, audit_until: null, made_at: Date.now() }
}

/** All keys of the database by those that a server has. @throws WrongKey when these do not open it. */
function unlocked(rows: readonly KeyRow[], have: Keys | undefined, home: string): Keys {
  const row = rows.find(({ state }) => state === 'current')
  if (!row || !have) throw new WrongKey(refusals.none(home))
  const current = have.all.find(({ id }) => id === row.id) ?? handedOver(row, have)
  if (!current)
    throw new WrongKey(rows.some(({ id }) => id === have.current.id) ? refusals.former(home) : refusals.other(home))
  const vault = createVault({ current, all: [current] })
  try {
    vault.open(row.sealed, checkContext(row.id))
  } catch {
    throw new WrongKey(refusals.other(home))
  }
  const others = rows
    .filter(({ state }) => state !== 'current')
    .map(({ id, sealed, audit_until }) => ({
      ...masterKey(Buffer.from(vault.open(sealed, keyContext(id)), 'base64')),
      ...(audit_until === null ? {} : { auditUntil: Number(audit_until) }),
    }))
  return { current, all: [current, ...others] }
}

function handedOver(row: KeyRow, have: Keys): MasterKey | undefined {
  if (row.handoff === null) return undefined
  try {
    return masterKey(Buffer.from(createVault(have).open(row.handoff, keyContext(row.id)), 'base64'))
  } catch {
    return undefined
  }
}
