import { closeSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

const closesOnExec = 0o2000000

/**
 * Closes the pipes and sockets that this process inherited, such as those of a service manager, beyond the descriptors
 * up to `last`: flows and their programs would have them. What Node.js opens itself is marked to be closed in other
 * programs, and stays. Files stay too: a thread may just be reading one, such as the list of certificates.
 */
export function closeInherited(last: number): void {
  for (const descriptor of readdirSync('/proc/self/fd').map(Number))
    if (descriptor > last && isInherited(descriptor)) closeSync(descriptor)
}

function isInherited(descriptor: number): boolean {
  try {
    if (!/^(?:pipe|socket):/.test(readlinkSync(`/proc/self/fd/${descriptor}`))) return false
    const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & closesOnExec) === 0
  } catch {
    // The descriptor of the listing itself is closed by now.
    return false
  }
}
