import { chown, lchown, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DriverError } from '../../driver.ts'
import type { Npm } from '../npm.ts'
import { explainModules } from './errors.ts'

/** The user that owns nothing, on every Linux. */
const nobody = 65_534

/**
 * Runs the install scripts of what is in `folder`. They are programs of strangers: where the platform is root they
 * run as the user that owns nothing.
 * @throws DriverError
 */
export async function runScripts(npm: Npm, folder: string, nodeDir: string): Promise<void> {
  const root = process.getuid?.() === 0
  if (root) {
    // Without a way in, npm would find nothing to do and say that all is well.
    for (const path of [dirname(folder), nodeDir])
      if (!(await mayEnter(path)))
        throw new DriverError(
          'scripts_refused',
          'Install scripts run as a user without rights, and such a user cannot enter the folders of the platform',
        )
    await giveTo(folder, nobody)
  }
  try {
    await npm.run({
      folder,
      args: ['rebuild', '--ignore-scripts=false', '--dangerously-allow-all-scripts', '--foreground-scripts'],
      explain: explainModules,
      as: { uid: root ? nobody : undefined, nodeDir },
    })
  } finally {
    if (root) await giveTo(folder, 0)
  }
  await rm(join(folder, '.npm'), { recursive: true, force: true })
}

async function mayEnter(path: string): Promise<boolean> {
  const { mode } = await stat(path)
  return (mode & 0o001) !== 0 && (path === '/' || mayEnter(dirname(path)))
}

async function giveTo(folder: string, uid: number): Promise<void> {
  await chown(folder, uid, uid)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await lchown(join(entry.parentPath, entry.name), uid, uid)
}
