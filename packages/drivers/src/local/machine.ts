import { cpus, totalmem } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

const mib = 1024 * 1024
/** A process that waits takes about 70 MiB. */
const oneMore = 100 * mib
const reserveLeast = 256 * mib
const reserveShare = 0.1
const sampleMs = 200
const idleShare = 0.4

/** The conditions a machine must meet before work is done ahead of time. */
export interface Machine {
  /** Can it, or the container that it is, give away memory that no instance needs? */
  hasRoom(): boolean
  /** Was a good part of its processors unused in the last moment? */
  isIdle(): Promise<boolean>
  /** After a start, until it is looked at: most starts are over by then. */
  settleMs: number
}

export const thisMachine: Machine = { hasRoom, isIdle, settleMs: 1_500 }

function hasRoom(): boolean {
  return process.availableMemory() - oneMore > Math.max(reserveLeast, totalmem() * reserveShare)
}

async function isIdle(): Promise<boolean> {
  const before = times()
  await delay(sampleMs, undefined, { ref: false })
  const after = times()
  return after.idle - before.idle > idleShare * (after.all - before.all)
}

function times(): { idle: number; all: number } {
  let [idle, all] = [0, 0]
  for (const cpu of cpus()) {
    idle += cpu.times.idle
    all += Object.values(cpu.times).reduce((sum, one) => sum + one, 0)
  }
  return { idle, all }
}
