import type { LaunchSpec, Training } from '@app/contract/instance-link'
import { loadAhead } from '@app/nodered'
import { closeSync, readFileSync, readSync, writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { dirname } from 'node:path'

const maxBytes = 64 * 1024

/** Loads what the training of a stack says, in whose folder the file is, and tells whoever started this process. */
export async function warmUp(descriptor: number, file: string): Promise<void> {
  await loadAhead(dirname(file), JSON.parse(readFileSync(file, 'utf8')) as Training)
  // As an instance it may not write there any more.
  flushCompileCache()
  writeSync(descriptor, 'ready\n')
}

/**
 * Reads the specification from a pipe until its end. It is complete or worthless: whoever started this process
 * may have died while writing, or before it could note that this process exists. Nothing else happens meanwhile.
 * @throws Error when it is not complete.
 */
export function readLaunchSpec(descriptor: number): LaunchSpec {
  const buffer = Buffer.alloc(maxBytes)
  let size = 0
  for (let read = -1; read !== 0 && size < maxBytes; size += read)
    read = readSync(descriptor, buffer, size, maxBytes - size, null)
  closeSync(descriptor)
  return JSON.parse(buffer.toString('utf8', 0, size)) as LaunchSpec
}

/** From here on this process is that of one instance: its user, its folder. Nothing of the instance was touched before. */
export function become({ uid, gid, userDir }: LaunchSpec): void {
  if (gid !== undefined) {
    process.setgroups!([gid])
    process.setgid!(gid)
  }
  if (uid !== undefined) process.setuid!(uid)
  process.chdir(userDir)
  process.env.HOME = userDir
}
