import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first of these programs that is in PATH, in the order of their names. */
export function findInPath(names: readonly string[]): { path: string; folder: string } | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return names
    .flatMap((name) => folders.map((folder) => ({ path: join(folder, name), folder })))
    .find(({ path }) => isProgram(path))
}

/** Is there a program at this path that this user may run? */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
