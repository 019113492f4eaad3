import { appendFile, stat, truncate } from 'node:fs/promises'

const outputMax = 1024 * 1024

/**
 * Keeps what a process prints past its log from filling the disk. Its log has bounds of its own; here ends up what the
 * JavaScript engine says, and what modules write to the descriptors themselves.
 */
export async function trimOutput(path: string): Promise<void> {
  try {
    const { size } = await stat(path)
    if (size <= outputMax) return
    await truncate(path, 0)
    await appendFile(path, `… ${size} bytes left out\n`)
  } catch {
    // Gone, or the disk is full, which this does not make worse.
  }
}
