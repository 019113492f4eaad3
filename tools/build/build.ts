import { spawnSync } from 'node:child_process'
import { areCurrent } from './built.ts'
import { buildHandbook, handbook } from './handbook-build.ts'
import { buildPrograms, programs } from './node-build.ts'
import { buildWeb, web } from './web-build.ts'

/** True when the console, the handbook, the server and the runtime of instances are up to date. */
const isBuilt = (): boolean => areCurrent([web, handbook, ...programs])

/** Builds the console, the handbook, the server and the runtime of instances where they are not up to date. Ends the process with the reason when that fails. */
export async function buildAll(): Promise<void> {
  if (isBuilt()) return
  console.log('Building, once after each change: usually 20 seconds …')
  try {
    await buildWeb()
    // After the console, whose build empties the folder that both are in.
    await buildHandbook()
    await buildPrograms()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}

/** Builds like `buildAll`, in a process of its own: a server would keep the memory that building takes. */
export function ensureBuilt(): void {
  if (isBuilt()) return
  const { status } = spawnSync(process.execPath, [import.meta.filename], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

if (import.meta.main) await buildAll()
