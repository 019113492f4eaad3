import { LaunchSpec } from '@app/contract/instance-link'
import { closeSync, readSync } from 'node:fs'

const maxBytes = 64 * 1024

/**
 * Reads the specification from a pipe until its end. It is complete or worthless: whoever started this process
 * may have died while writing, or before it could note that this process exists.
 * @throws Error when it is not complete.
 */
export function readLaunchSpec(descriptor: number): LaunchSpec {
  const buffer = Buffer.alloc(maxBytes)
  let size = 0
  for (let read = -1; read !== 0 && size < maxBytes; size += read)
    read = readSync(descriptor, buffer, size, maxBytes - size, null)
  closeSync(descriptor)
  return LaunchSpec.parse(JSON.parse(buffer.toString('utf8', 0, size)))
}
