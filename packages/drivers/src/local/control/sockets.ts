import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Linux's flag for referring to a file without opening it (O_PATH). Node.js has no name for it. */
const pathOnly = 0o10000000
/** For who has read the address and is about to connect. */
const lingerMs = 60_000

/** A socket by what it is, and no more by its name. */
export interface PinnedSocket {
  /** To connect to, in this process alone. */
  path: string
  /** Lets go of it, a while later. */
  release(): void
}

/**
 * Takes hold of the socket that an instance listens on. The folder belongs to the instance, which might put a link
 * there at any time that leads to a socket of somebody else, and the platform may connect to all. Undefined when
 * there is nothing, or something that is not a socket of the owner of the folder.
 */
export function pinSocket(path: string, linger = lingerMs): PinnedSocket | undefined {
  let file: number
  try {
    file = openSync(path, pathOnly | constants.O_NOFOLLOW)
  } catch {
    return undefined
  }
  const found = fstatSync(file)
  if (!found.isSocket() || found.uid !== statSync(dirname(path)).uid) {
    closeSync(file)
    return undefined
  }
  let isHeld = true
  return {
    path: `/proc/self/fd/${file}`,
    release() {
      if (!isHeld) return
      isHeld = false
      if (linger === 0) closeSync(file)
      else setTimeout(() => closeSync(file), linger).unref()
    },
  }
}
