import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'

const memory = '/dev/shm'
const neededBytes = 4 * 1024 ** 3

/**
 * Temporary folders of a run in memory, where there is enough of it: databases wait for the disk at each commit, and
 * what these tests show is lost with no power cut.
 */
export function setup(): (() => void) | undefined {
  if (!existsSync(memory)) return undefined
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize < neededBytes) return undefined
  const folder = mkdtempSync(`${memory}/forge-`)
  // As any temporary folder: PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}
