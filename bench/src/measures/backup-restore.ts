import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Measure } from '../measure.ts'

const root = join(import.meta.dirname, '../../..')

/** The time to back up a long audit log and to restore it into an empty platform. */
export const backupRestore: Measure = async ({ home, auditData }) => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-bench-'))
  const file = join(folder, 'all.backup')
  try {
    const made = await admin(home, 'backup', file)
    const restored = await admin(join(folder, 'home'), 'restore', file)
    return [
      {
        name: 'backup restored: times as long as making it',
        value: restored / made,
        unit: '',
        target: { is: 'at most', value: 3 },
        measured: '`npm run admin -- restore` into an embedded database, the whole file checked first, over `backup`',
        data: auditData,
        note: `${made.toFixed(1)} s to make it (${(statSync(file).size / 1e6).toFixed(1)} MB), ${restored.toFixed(1)} s to restore it`,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Seconds that a command for the shell takes. */
async function admin(home: string, ...args: string[]): Promise<number> {
  const begun = performance.now()
  const env = { ...process.env, FORGE_HOME: home, FORGE_BACKUP_PASSPHRASE: 'four words of mine' }
  const entry = ['--import', './tools/require-node.mjs', 'apps/server/src/cli/admin.ts', ...args]
  const child = spawn(process.execPath, entry, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`)
  return (performance.now() - begun) / 1000
}
