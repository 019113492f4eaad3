import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { partsOf } from '../../slots.ts'
import type { Config } from '../config.ts'
import { readInfo } from '../control/control.client.ts'
import { argumentsOf, identityOf } from './identity.ts'
import type { InstanceRecord } from '../record.store.ts'

/** A process that has shown that it is the one of a record. Only such a one can be sent a signal. */
export interface OwnProcess {
  /** Does it answer on its control socket? */
  answers: boolean
  /** SIGKILL goes to the programs that it has started too. Nothing is sent once it is gone. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void | Promise<void>
}

/** Is there still the process that this record was written for? */
export const isAlive = ({ pid, identity }: InstanceRecord) => pid !== undefined && identityOf(pid) === identity

/**
 * Finds the process of a record. A record may be damaged or forged, so besides the start time the process itself has
 * to show whose it is: it knows the control token, or, when it hangs, it was started with our program and its label.
 */
export async function findOwn(config: Config, record: InstanceRecord): Promise<OwnProcess | undefined> {
  const { pid } = record
  if (pid === undefined || !isAlive(record)) return undefined
  const answers = await knowsToken(record)
  if (!answers && !isLabelled(config, record)) return undefined
  return {
    answers,
    signal(name) {
      // The same pid with the same start time is the process that was judged above.
      if (isAlive(record)) kill(name === 'SIGKILL' ? -pid : pid, name)
    },
  }
}

function isLabelled({ runtimeEntry }: Config, { pid, id, label = id }: InstanceRecord): boolean {
  if (pid === undefined) return false
  const app = dirname(dirname(runtimeEntry))
  // An earlier version of the platform may have had its program in another folder of the same app.
  const isOurs = (argument: string) => dirname(dirname(argument)) === app
  return argumentsOf(pid).some((argument, at, given) => at > 0 && isOurs(argument) && given[at + 1] === label)
}

async function knowsToken(record: InstanceRecord): Promise<boolean> {
  try {
    const info = await readInfo(record)
    return info.id === partsOf(record.id).id && info.pid === record.pid
  } catch {
    return false
  }
}

/**
 * Ends what a dead process left in its group: programs that its flows had started. Only for a process that was seen
 * alive, since with the pid of a record alone this could be somebody else's group.
 */
export function endOrphans({ pid }: InstanceRecord): void {
  if (pid !== undefined && identityOf(pid) === undefined) kill(-pid, 'SIGKILL')
}

function kill(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone in the meantime.
  }
}

/** Waits until the process is gone; false when it is still there after `ms`. */
export async function isGoneWithin(record: InstanceRecord, ms: number): Promise<boolean> {
  for (const until = Date.now() + ms; Date.now() < until; await delay(10)) if (!isAlive(record)) return true
  return !isAlive(record)
}
