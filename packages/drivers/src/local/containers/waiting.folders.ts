import { copyFileSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Confinement } from '../confinement/confinement.ts'
import { type Paths, shortFolders } from '../paths.ts'
import { readyFileOf } from './container.body.ts'

/** The folders that a container has mounted: they may have been replaced by others of the same names. */
export const mountedIn = ({ userDir, logDir }: Paths, socketDir: string): string =>
  [userDir, logDir, socketDir].map((path) => statSync(path, { throwIfNoEntry: false })?.ino).join(' ')

/** Has the instance never been started, and no files of its own? Then its folder holds a few notes of the platform. */
export function isNew({ folder, record, crash, account, output, userDir, logDir, socketDir }: Paths): boolean {
  const started = [record, crash, account, output].map((path) => basename(path))
  return namesIn(folder).every((name) => {
    const path = join(folder, name)
    if ([userDir, logDir, socketDir].includes(path)) return namesIn(path).length === 0
    return !started.includes(name) && lstatSync(path).isFile()
  })
}

/**
 * Puts the folder of a container that waited in the place of that of a new instance. The container's mounts follow it. The
 * user has a folder at each moment, so that no other platform gives the user away.
 * @throws Error when the instance is not new.
 */
export function moveInto(
  waited: Paths,
  { folder, userDir, logDir, socketDir }: Paths,
  reassign: () => ReturnType<Confinement['reassign']>,
): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const path of [userDir, logDir, socketDir]) if (lstatSync(path, { throwIfNoEntry: false })) rmdirSync(path)
  for (const name of namesIn(folder)) {
    copyFileSync(join(folder, name), join(waited.folder, name))
    rmSync(join(folder, name))
  }
  reassign()
  renameSync(waited.folder, folder)
}

/**
 * Removes the folder of a container that waited and is gone. One in which something was stored, as nothing that waits does, stays.
 */
export function removeFolder({ folder, userDir, logDir, socketDir }: Paths, chosen: string): void {
  rmSync(readyFileOf(chosen), { force: true })
  const isEmpty = [userDir, logDir, socketDir].every((path) => namesIn(path).length === 0)
  if (isEmpty) rmSync(folder, { recursive: true, force: true })
  if (chosen !== socketDir) for (const path of shortFolders(chosen)) rmSync(path, { recursive: true, force: true })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
