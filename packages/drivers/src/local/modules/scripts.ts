import { chown, lchown, lstat, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DriverError } from '../../driver.ts'
import type { Npm } from '../npm/npm.ts'
import { endLeftovers } from '../confinement/leftovers.ts'
import { explainModules } from './errors.ts'
import type { Modules } from './set.ts'
import type { Owner } from './tree.ts'

/** The user that owns nothing, on every Linux; for where no users are set aside. */
const nobody: Owner = { uid: 65_534, gid: 65_534 }

/**
 * Runs the install scripts of what is in `folder`. They are programs of strangers: where the platform is root they
 * run as a user of their own, and what they leave running is ended before anything is done with what they made. A
 * program that went on could put links under the platform's hands as it takes the files over.
 * @throws DriverError
 */
export async function runScripts(
  npm: Npm,
  folder: string,
  { modules, nodeDir, user }: { modules: Modules; nodeDir: string; user: Owner | undefined },
): Promise<void> {
  const root = process.getuid?.() === 0
  const { uid, gid } = user ?? nobody
  if (root) {
    // Without a way in, npm would find nothing to do and say that all is well.
    for (const path of [dirname(folder), nodeDir])
      if (!(await mayEnter(path)))
        throw new DriverError(
          'scripts_refused',
          'Install scripts run as a user without rights, and such a user cannot enter the folders of the platform',
        )
    await giveTo(folder, uid, gid)
  }
  try {
    await npm.run({
      folder,
      args: ['rebuild', '--ignore-scripts=false', '--dangerously-allow-all-scripts', '--foreground-scripts'],
      explain: explainModules(Object.keys(modules)),
      as: { uid: root ? uid : undefined, nodeDir },
    })
  } finally {
    await endLeftovers({ account: user, userDir: folder, isShared: () => false })
  }
  if (root) {
    await checkOwners(folder, uid)
    await giveTo(folder, 0, 0)
  }
  await rm(join(folder, '.npm'), { recursive: true, force: true })
}

async function mayEnter(path: string): Promise<boolean> {
  const { mode } = await stat(path)
  return (mode & 0o001) !== 0 && (path === '/' || mayEnter(dirname(path)))
}

async function giveTo(folder: string, uid: number, gid: number): Promise<void> {
  await chown(folder, uid, gid)
  for (const path of await pathsIn(folder)) await lchown(path, uid, gid)
}

/** A second name for a file of somebody else is not among what may be taken over. @throws DriverError install_failed. */
async function checkOwners(folder: string, uid: number): Promise<void> {
  for (const path of await pathsIn(folder))
    if ((await lstat(path)).uid !== uid)
      throw new DriverError('install_failed', 'An install script has put a file of somebody else among its own')
}

async function pathsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.map((entry) => join(entry.parentPath, entry.name))
}
