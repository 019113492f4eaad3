import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, startPostgres } from '../../../tools/test/postgres.ts'
import type { Measure } from '../measure.ts'
import type { Row } from '../report.ts'

const root = join(import.meta.dirname, '../../..')

/** A platform: its home, and its database if that is not the embedded one. */
interface Platform {
  home: string
  databaseUrl?: string
}

/** The time to back up a long audit log and to restore it into an empty platform, on both databases. */
export const backupRestore: Measure = async ({ home, auditData }) => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-bench-'))
  const file = join(folder, 'all.backup')
  try {
    const made = await admin({ home }, 'backup', file)
    const restored = await admin({ home: join(folder, 'home') }, 'restore', file)
    const embedded = row('SQLite', { made, restored, file, auditData })
    return [embedded, await onPostgres(folder, auditData)]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The backup fills a first database; what is made of that one fills a second. */
async function onPostgres(folder: string, auditData: string): Promise<Row> {
  const { url, stop } = await startPostgres()
  try {
    const platform = async (name: string): Promise<Platform> => ({
      home: join(folder, name),
      databaseUrl: await createDatabase(url, name),
    })
    const [first, second, file] = [await platform('first'), await platform('second'), join(folder, 'postgres.backup')]
    await admin(first, 'restore', join(folder, 'all.backup'))
    const made = await admin(first, 'backup', file)
    const restored = await admin(second, 'restore', file)
    return row('PostgreSQL', { made, restored, file, auditData })
  } finally {
    await stop()
  }
}

interface Figures {
  made: number
  restored: number
  file: string
  auditData: string
}

function row(database: string, { made, restored, file, auditData }: Figures): Row {
  return {
    name: `backup restored, ${database}: times as long as making it`,
    value: restored / made,
    unit: '',
    target: { is: 'at most', value: 3 },
    measured: `\`npm run admin -- restore\` into an empty platform on ${database}, the whole file checked first, over \`backup\``,
    data: auditData,
    note: `${made.toFixed(1)} s to make it (${(statSync(file).size / 1e6).toFixed(1)} MB), ${restored.toFixed(1)} s to restore it`,
  }
}

/** Seconds that a command for the shell takes. */
async function admin({ home, databaseUrl }: Platform, ...args: string[]): Promise<number> {
  const begun = performance.now()
  const env = {
    ...process.env,
    FORGE_HOME: home,
    FORGE_BACKUP_PASSPHRASE: 'four words of mine',
    ...(databaseUrl && { FORGE_DATABASE_URL: databaseUrl }),
  }
  const entry = ['--import', './tools/require-node.mjs', 'apps/server/src/cli/admin.ts', ...args]
  const child = spawn(process.execPath, entry, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`)
  return (performance.now() - begun) / 1000
}
