import { readdir, readFile } from 'node:fs/promises'

/** The message shown when the operating system gives this process no more descriptors. */
export const outOfDescriptors =
  'The server has too many files and connections open. Try again later, or ask an administrator to raise its limit of open files'

/** Did something fail because this process, or the machine, has no descriptor left? Also when that is only the cause. */
export function lacksDescriptors(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '') || lacksDescriptors(error.cause)
}

/** Number of open files and connections of this process, and its limit. Undefined where the system does not tell. */
export async function countDescriptors(): Promise<{ open: number; most: number } | undefined> {
  try {
    const [, most] = /^Max open files\s+(\d+)/m.exec(await readFile('/proc/self/limits', 'utf8')) ?? []
    return most === undefined ? undefined : { open: (await readdir('/proc/self/fd')).length, most: Number(most) }
  } catch (error) {
    // Not even these two can be opened.
    return lacksDescriptors(error) ? { open: 1, most: 1 } : undefined
  }
}
