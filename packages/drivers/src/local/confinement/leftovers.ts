import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { identityOf } from '../process/identity.ts'
import type { Account } from '../record.store.ts'

const rounds = 20
const roundMs = 10

/** Traces that identify a program that outlived its instance. */
export interface Traces {
  /** The user that is this instance's alone. */
  account: Account | undefined
  /** The home folder in its environment, which is the instance's user directory. */
  userDir: string
  /** Is there another process of the instance? By these traces its programs cannot be told from those looked for. */
  isShared(): boolean
}

/**
 * Ends programs that a flow started and that have left the group and the session of their instance. Only once the
 * process of the instance is gone. What has no user of its own and took its environment off is not found.
 */
export async function endLeftovers(traces: Traces): Promise<void> {
  const isOurs = traces.account ? hasUser(traces.account.uid) : hasHome(traces.userDir)
  for (let round = 0; round < rounds; round += 1) {
    // The remaining files are left to whoever ends the last process.
    if (traces.isShared()) return
    const found = pids().filter((pid) => isOurs(pid) && identityOf(pid) !== undefined)
    if (found.length === 0) return
    for (const pid of found) kill(pid)
    await delay(roundMs)
  }
}

const pids = () =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid)

const hasUser = (uid: number) => {
  const wanted = String(uid)
  // Real, effective and saved one: a program cannot have changed any of them.
  return (pid: number) => /^Uid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] === wanted
}

const hasHome = (userDir: string) => {
  const wanted = `\0HOME=${userDir}\0`
  return (pid: number) => `\0${read(`/proc/${pid}/environ`)}`.includes(wanted)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone in the meantime.
  }
}
