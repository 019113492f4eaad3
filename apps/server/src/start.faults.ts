import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { NewerDatabase, OtherMigration } from './platform/db/migrate.ts'
import { ConnectionLost, troubleOf } from './platform/db/trouble.ts'
import { freeOn } from './platform/disk.ts'

const mb = 1024 * 1024
const tryEveryMs = 500
const connectMs = 3_000

/** The reason a server cannot start, and the remedy, in a sentence; undefined for unforeseen faults. */
export function faultOfStart(error: unknown, { home, databaseUrl }: Pick<Config, 'home' | 'databaseUrl'>) {
  if (error instanceof NewerDatabase || error instanceof OtherMigration) return `${error.message}.`
  const { code = '', errcode, path } = (error ?? {}) as { code?: string; errcode?: number; path?: string }
  const at = path ?? (databaseUrl ? home : join(home, 'forge.db'))
  const primary = errcode === undefined ? undefined : errcode & 0xff
  if (databaseUrl && (code.length === 5 || error instanceof ConnectionLost)) {
    const said = ofPostgres(code, new URL(databaseUrl))
    if (said) return said
  }
  if (troubleOf(error) === 'full' || (primary === 10 && isFull(home)))
    return `The disk of ${home} is full. Make room on it, at least 20 MB, and start again.`
  if (primary === 26 || primary === 11)
    return `${at} is damaged, or no database of SQLite. Nothing was changed. Restore a backup into a new FORGE_HOME (docs/backup.md).`
  if (primary === 14 || primary === 8 || code === 'EACCES' || code === 'EPERM')
    return `${at} cannot be read or written by ${account()}. Give it the folder: chown -R <user> ${home}`
  if (code === 'EROFS')
    return `${at} is on a disk that is mounted read-only. Mount it for writing, or set FORGE_HOME to another folder.`
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return `${at} is not a folder. Set FORGE_HOME to a folder, or to one that can be made.`
  if (primary === 10)
    return `The disk of ${home} fails to read or write ${at}. Look into the log of the system, and restore a backup if the file is damaged (docs/backup.md).`
  return undefined
}

const account = () => `the user of the server (uid ${process.getuid?.() ?? 'unknown'})`

function isFull(home: string): boolean {
  try {
    return freeOn(home) < mb
  } catch {
    return false
  }
}

/** Without the password. */
const nameOf = (url: URL) => {
  const host = url.searchParams.get('host') ?? url.host
  return `PostgreSQL at ${host}${url.pathname}`
}

function ofPostgres(code: string, url: URL): string | undefined {
  const name = nameOf(url)
  const user = decodeURIComponent(url.username)
  if (code === '28P01' || code === '28000')
    return `${name} refuses the user "${user}" or the password. Correct FORGE_DATABASE_URL; signs such as @ or / in a password are written as %40 or %2F.`
  if (code === '3D000') return `${name} does not exist. Create it: createdb -O ${user} ${url.pathname.slice(1)}`
  if (code === '42501')
    return `The user "${user}" may not create tables at ${name}. Make it the owner: alter database … owner to ${user}`
  if (code === '25006')
    return `${name} is read-only, as a standby is. Set FORGE_DATABASE_URL to the primary, or promote the standby.`
  if (code === '53100') return `The disk of ${name} is full. Make room there, and start again.`
  if (code.length !== 5 || code === '53300' || /^(57|08)/.test(code))
    return `${name} does not answer. See whether it runs, and whether the address in FORGE_DATABASE_URL is right.`
  return undefined
}

/** A database that is just being started is waited for; a wrong password or name is not. @throws ConnectionLost */
export async function waitForDatabase(
  { databaseUrl, databaseWaitSeconds }: Pick<Config, 'databaseUrl' | 'databaseWaitSeconds'>,
  log: Logger,
): Promise<void> {
  if (!databaseUrl) return
  const { default: pg } = await import('pg')
  const begun = performance.now()
  for (let tries = 0; ; tries += 1) {
    const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: connectMs })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string }
      const isRefusal = code.length === 5 && troubleOf(error) !== 'away'
      if (isRefusal) throw error
      if (performance.now() - begun > databaseWaitSeconds * 1000) throw new ConnectionLost(message)
      if (tries % 10 === 0) log.warn(`${nameOf(new URL(databaseUrl))} does not answer yet; waits for it`)
    } finally {
      void client.end().catch(() => undefined)
    }
    await sleep(tryEveryMs)
  }
}
