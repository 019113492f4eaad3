import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config.ts'

const otherMayEnter = 0o001
const otherMayRead = 0o004

/**
 * Why instances cannot run as users of their own here, in a sentence for people; undefined when they can. What
 * instances need is in folders that users other than the platform's must be able to enter.
 */
export function isolationObstacle(
  { home, stacksDir, runtimeEntry, accounts }: Config,
  uid: number | undefined = process.getuid?.(),
): string | undefined {
  if (uid !== 0)
    return 'All instances run as the user of the platform, which is not root: their flows can read the files and keys of the platform and of each other.'
  if (!accounts)
    return 'No users are set aside for instances, so all run as the user of the platform: their flows can read the files and keys of the platform and of each other.'
  if (!isMapped(accounts.first) || !isMapped(accounts.last))
    return `Users ${accounts.first} to ${accounts.last} do not exist in this container, so all instances run as the user of the platform and their flows can read its files and keys.`
  const closed =
    closedFolder(dirname(home)) ??
    [stacksDir, runtimeEntry, process.execPath].map((path) => closedFolder(dirname(path), home)).find(Boolean)
  if (closed)
    return `Other users than root cannot enter ${closed}, so all instances run as the user of the platform and their flows can read its files and keys. Put the platform and its home into a folder that others may enter.`
  return isReadable(runtimeEntry) && isReadable(process.execPath)
    ? undefined
    : 'Other users than root cannot read the program of the platform, so all instances run as the user of the platform and their flows can read its files and keys.'
}

/** The first folder on the way from the root that others may not enter. What is ours to open, `except`, counts as open. */
function closedFolder(path: string, except?: string): string | undefined {
  const above = path === dirname(path) ? undefined : closedFolder(dirname(path), except)
  if (above) return above
  return path === except || hasMode(path, otherMayEnter) ? undefined : path
}

const isReadable = (path: string) => hasMode(path, otherMayRead)

function hasMode(path: string, mode: number): boolean {
  // A file that does not exist yet is created with a fitting mode.
  const found = statSync(path, { throwIfNoEntry: false })
  return !found || (found.mode & mode) !== 0
}

/** A container may know but a part of all users. */
function isMapped(uid: number): boolean {
  return readFileSync('/proc/self/uid_map', 'utf8')
    .trim()
    .split('\n')
    .some((line) => {
      const [inside = 0, , count = 0] = line.trim().split(/\s+/).map(Number)
      return uid >= inside && uid < inside + count
    })
}
