import type { LaunchSpec, Training } from '@app/contract/instance-link'
import { podAddressVariable } from '@app/contract/instance-link.constants'
import { loadAhead } from '@app/nodered'
import { chmodSync, closeSync, openSync, readFileSync, readSync, symlinkSync, writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { dirname } from 'node:path'

const maxBytes = 64 * 1024

/**
 * Loads what the training of a stack says, in whose folder the file is, and tells whoever started this process: by the pipe,
 * or by a file where that comes from a container's engine.
 */
export async function warmUp(descriptor: number, file: string, readyFile?: string): Promise<void> {
  await loadAhead(dirname(file), JSON.parse(readFileSync(file, 'utf8')) as Training)
  // As an instance it may not write there any more.
  flushCompileCache()
  if (readyFile !== undefined) return closeSync(openSync(readyFile, 'w'))
  try {
    writeSync(descriptor, 'ready\n')
  } catch (error) {
    // It may have sent the specification before. Nor can anybody be told where the pipe comes from a container's engine.
    if (!isGone(error) && (error as NodeJS.ErrnoException).code !== 'EBADF') throw error
  }
}

/**
 * Reads the specification from a pipe until its end. It is complete or worthless: whoever started this process
 * may have died while writing, or before it could note that this process exists. Nothing else happens meanwhile.
 * @throws Error when it is not complete.
 */
export function readLaunchSpec(descriptor: number): LaunchSpec {
  const buffer = Buffer.alloc(maxBytes)
  let size = 0
  for (let read = -1; read !== 0 && size < maxBytes; size += read) read = readOn(descriptor, buffer, size)
  closeSync(descriptor)
  return placed(JSON.parse(buffer.toString('utf8', 0, size)) as LaunchSpec)
}

/** An engine that gives a process its address only when it starts tells it in the environment, which flows need not see. */
function placed(launch: LaunchSpec): LaunchSpec {
  const { [podAddressVariable]: host } = process.env
  delete process.env[podAddressVariable]
  if (host === undefined || !('port' in launch.answersAt)) return launch
  return { ...launch, answersAt: { ...launch.answersAt, host } }
}

/** Has the process at the other end of the pipe ended? */
const isGone = (error: unknown) => ['EPIPE', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Number of bytes read; 0 at the end, be it that of the process at the other end. */
function readOn(descriptor: number, buffer: Buffer, from: number): number {
  try {
    return readSync(descriptor, buffer, from, buffer.length - from, null)
  } catch (error) {
    if (isGone(error)) return 0
    throw error
  }
}

/** From here on this process is that of one instance: its user, its folder. Nothing of the instance was touched before. */
export function become({ uid, gid, userDir, filesDir = userDir, logDir, madeIn, answersAt }: LaunchSpec): void {
  if (madeIn !== undefined) symlinkSync(madeIn, dirname(userDir))
  if (gid !== undefined) {
    process.setgroups!([gid])
    process.setgid!(gid)
  }
  if (uid !== undefined) process.setuid!(uid)
  // Flows own these, and may have closed them to themselves.
  const sockets = 'port' in answersAt ? [] : [dirname(answersAt.http)]
  for (const folder of [userDir, logDir, ...sockets]) chmodSync(folder, 0o700)
  process.chdir(filesDir)
  process.env.HOME = userDir
}
