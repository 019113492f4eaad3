import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Config } from '../config.ts'
import { counted } from '../platform/counted.ts'
import { listMigrations } from '../platform/db/migrate.ts'
import { ConnectionLost } from '../platform/db/trouble.ts'
import { keyFileOf } from '../platform/keys/key.file.ts'
import { faultOfStart } from '../start.faults.ts'
import type { Look } from './look.ts'

const connectMs = 5_000
const listApplied = 'select name from migrations order by name'

/** Looks whether the database can be used, without changing it. */
export async function lookAtDatabase(config: Config): Promise<Look> {
  try {
    const applied = config.databaseUrl ? await readPostgres(config.databaseUrl) : readSqlite(config.home)
    return await judge(config, applied)
  } catch (error) {
    const why = faultOfStart(error, config)
    if (why === undefined) throw error
    const [seen = why, ...todo] = why.split(/(?<=\.) /)
    return { part: 'database', ok: false, seen, todo: todo.join(' ') }
  }
}

async function judge({ home, databaseUrl, secretKey }: Config, applied: string[] | undefined): Promise<Look> {
  const what = databaseUrl ? 'PostgreSQL' : 'SQLite'
  const part = 'database'
  if (!applied) return { part, ok: true, seen: `${what}: empty, the first start sets it up.` }
  const known = new Set(await listMigrations())
  const newer = applied.find((name) => !known.has(name))
  if (newer !== undefined)
    return {
      part,
      ok: false,
      seen: `${what}: made by a newer version (${newer}).`,
      todo: 'Start that version, or restore the backup from before the upgrade into a new database.',
    }
  if (!secretKey && !existsSync(keyFileOf(home)))
    return {
      part,
      ok: false,
      seen: `${what}: there is a platform in it, and no master key.`,
      todo: `Put the key into ${keyFileOf(home)}, or set FORGE_SECRET_KEY. See docs/servers.md.`,
    }
  const open = known.size - applied.length
  return {
    part,
    ok: true,
    seen: `${what}: ${open === 0 ? 'up to date' : `${counted(open, 'step')} behind, which the start applies`}.`,
  }
}

/** Names of the migrations that were applied; undefined for an empty database. */
function readSqlite(home: string): string[] | undefined {
  const path = join(home, 'forge.db')
  if (!existsSync(path)) return undefined
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const hasTable = database.prepare("select 1 from sqlite_master where name = 'migrations'").get()
    return hasTable
      ? database
          .prepare(listApplied)
          .all()
          .map(({ name }) => String(name))
      : undefined
  } finally {
    database.close()
  }
}

/** @throws the error of PostgreSQL, 42501 when tables may not be created. */
async function readPostgres(url: string): Promise<string[] | undefined> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs })
  client.on('error', () => undefined)
  try {
    await client.connect().catch(({ code = '', message }: NodeJS.ErrnoException) => {
      // Five letters are an answer of PostgreSQL itself.
      throw code.length === 5 ? Object.assign(new Error(message), { code }) : new ConnectionLost(message)
    })
    const { rows } = await client.query(
      "select to_regclass('migrations') is not null as used, has_schema_privilege(current_schema(), 'create') as may, current_setting('transaction_read_only') as readonly",
    )
    const [{ used, may, readonly }] = rows as [{ used: boolean; may: boolean; readonly: string }]
    if (readonly === 'on') throw Object.assign(new Error('read-only'), { code: '25006' })
    if (!may) throw Object.assign(new Error('may not create'), { code: '42501' })
    if (!used) return undefined
    return (await client.query(listApplied)).rows.map(({ name }: { name: string }) => name)
  } finally {
    await client.end().catch(() => undefined)
  }
}
