import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/**
 * Has everything in a folder on disk before it gets the name under which it is trusted: after a power cut the name
 * would be there and the contents not. Where there is no such program, that remains so.
 */
export async function flush(folder: string): Promise<void> {
  await promisify(execFile)('sync', ['-f', folder]).catch(() => {})
}
