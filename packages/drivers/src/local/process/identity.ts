import { readFileSync } from 'node:fs'

let bootId: string | undefined

/**
 * Tells a process from every other one with the same pid on this machine: the boot and the clock tick of its start.
 * Undefined when there is no such process, or it has ended and only waits to be collected.
 */
export function identityOf(pid: number): string | undefined {
  const fields = statOf(pid)
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined
  return `${thisBoot()}:${fields[19]}`
}

/**
 * For the name of something that this process leaves unfinished when it is killed. With the clock tick of its start: in
 * a container the next process often has the same pid.
 */
export const ownerMark = (): string => `${process.pid}-${statOf(process.pid)![19]}`

/** Does the process run whose mark (`ownerMark`) this name holds after `partial-`? */
export function isOwned(name: string): boolean {
  const [, pid, tick] = /(?:^|\.)partial-(\d+)-(\d+)-/.exec(name) ?? []
  return pid !== undefined && identityOf(Number(pid))?.endsWith(`:${tick}`) === true
}

/**
 * The state of a process's main thread, by the letter of the kernel: R runs, S sleeps, D waits for a device, T is
 * paused.
 */
export const threadStateOf = (pid: number): string | undefined => statOf(pid)?.[0]

/** Or of a process that ended with the machine? */
export const isOfThisBoot = (identity: string) => identity.startsWith(`${thisBoot()}:`)

function thisBoot(): string {
  bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return bootId
}

/** The arguments a process was started with; empty when there is no such process. */
export function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
  } catch {
    return []
  }
}

/** Fields of /proc/<pid>/stat from the third on. The second is a name that may hold spaces and brackets. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
