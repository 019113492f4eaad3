import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { driverFolders } from '../drivers.folders.ts'

const everybodyElse = 0o077
/** All but passing through: where the platform is root, processes of the driver are users of their own. */
const looking = 0o066

/**
 * Makes the folder of the platform's state, and closes it to other users of the machine, also when it was there with
 * wider modes. What belongs to somebody else stays as it is.
 */
export function closeHome(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  narrow(home, isRoot() ? looking : everybodyElse)
  for (const { name, parentPath } of readdirSync(home, { withFileTypes: true }))
    if (!driverFolders.has(name)) narrow(join(parentPath, name), everybodyElse)
}

/** Makes a file that only the platform may read, unless it is there. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

const isRoot = () => process.getuid?.() === 0

/** Takes rights away from others, where it is ours to decide; links lead elsewhere. */
function narrow(path: string, rights: number): void {
  try {
    const found = lstatSync(path)
    if (found.isSymbolicLink() || found.uid !== process.getuid?.() || (found.mode & rights) === 0) return
    chmodSync(path, found.mode & 0o777 & ~rights)
  } catch (error) {
    // Another process of the platform has removed it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
