import { join } from 'node:path'
import { Kysely, type LogEvent, sql } from 'kysely'
import type { Db, Tables, Tx } from './tables.ts'

export interface Database {
  kind: 'sqlite' | 'postgres'
  /** The address of a PostgreSQL database; absent with the embedded one. */
  url?: string
  read: Db
  /**
   * Runs `work` in one transaction; an exception undoes all of it. No waiting for anything but the database inside.
   * Once more when another transaction and it waited for each other, so it changes nothing else.
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const afterCommits = new WeakMap<Tx, (() => void)[]>()

/** Has `action` run once the transaction is durable, and never if it is undone. */
export function afterCommit(tx: Tx, action: () => void): void {
  afterCommits.get(tx)?.push(action)
}

/** PostgreSQL's code when it undoes one of two transactions that wait for each other. */
const deadlock = '40P01'
const mostTries = 3

const rules: Record<string | number, 'unique' | 'reference'> = {
  // SQLite's extended result codes, then PostgreSQL's.
  1555: 'unique',
  2067: 'unique',
  787: 'reference',
  23505: 'unique',
  23503: 'reference',
}

/** Which rule of the schema refused a change, when that is what went wrong: two requests at once pass the same check. */
export function brokenRule(error: unknown): 'unique' | 'reference' | undefined {
  const { errcode, code } = error as { errcode?: number; code?: string }
  return rules[errcode ?? code ?? '']
}

/** For `catch`: throws this failure in the place of a change that the rule refused, and any other error as it is. */
export const whenBroken =
  (rule: 'unique' | 'reference', failure: () => Error) =>
  (error: unknown): never => {
    throw brokenRule(error) === rule ? failure() : error
  }

/** Does it refuse every write, as a standby does? Throws when the database does not answer. */
export async function isReadOnly({ read, kind }: Database): Promise<boolean> {
  if (kind === 'sqlite') {
    await sql`select 1`.execute(read)
    return false
  }
  const { rows } = await sql<{ off: string }>`select current_setting('transaction_read_only') as off`.execute(read)
  return rows[0]?.off === 'on'
}

export interface DatabaseOptions {
  home: string
  url?: string | undefined
  /** A file of the embedded database that is to be filled in one go and then named; absent: the one in the home. */
  draft?: string | undefined
  /** Connections to PostgreSQL. */
  pool?: number | undefined
  /** Its queries may take minutes in which PostgreSQL answers nobody: they are not taken for lost. */
  patient?: boolean | undefined
  /** Told of every query; for tests that count them. */
  onQuery?: ((event: LogEvent) => void) | undefined
}

/** Opens the embedded database under `home`, or PostgreSQL at `url`. Does not migrate. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { home, url, draft, pool = 10, patient = false, onQuery } = options
  const dialect = url
    ? (await import('./postgres.ts')).postgresDialect(url, { size: pool, patient, onQuery })
    : (await import('./sqlite.ts')).sqliteDialect(draft ?? join(home, 'forge.db'), {
        isDraft: draft !== undefined,
        onQuery,
      })
  const read = new Kysely<Tables>(onQuery ? { dialect, log: onQuery } : { dialect })
  return {
    kind: url ? 'postgres' : 'sqlite',
    ...(url ? { url } : {}),
    read,
    async transact(work) {
      for (let tries = 1; ; tries += 1) {
        const actions: (() => void)[] = []
        const done = await read
          .transaction()
          .execute(async (tx) => {
            afterCommits.set(tx, actions)
            return { result: await work(tx) }
          })
          .catch((error: unknown) => {
            if ((error as { code?: string }).code !== deadlock || tries === mostTries) throw error
          })
        if (!done) continue
        for (const action of actions) action()
        return done.result
      }
    },
    close: () => read.destroy(),
  }
}
