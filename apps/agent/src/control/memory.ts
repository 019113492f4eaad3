import type { Log } from '../agent.log.ts'
import type { Wanted } from '../link/platform.link.ts'
import type { WishStore } from './wishes.store.ts'

const usualMemory = 256

interface MemoryDependencies {
  wishes: WishStore
  log: Log
  /** The limit in the file of the device. */
  inFile: number | undefined
}

export type Memory = ReturnType<typeof createMemory>

/** The memory limit of Node-RED, in MiB: that of the platform, else that of the file of the device. */
export function createMemory({ wishes, log, inFile = usualMemory }: MemoryDependencies) {
  /** The limit of its next start. */
  const next = () => wishes.get().memory ?? inFile

  return {
    next,
    /** The limit as reports say it. `inForce`: the one that Node-RED runs with. */
    report: (inForce: number | undefined) => ({
      set: wishes.get().memory ?? null,
      next: next(),
      inForce: inForce ?? null,
    }),
    /** Takes the limit that the platform sets, also after a reboot. Returns whether it is another one. */
    take({ memory }: Wanted): boolean {
      if (memory === undefined || memory === (wishes.get().memory ?? null)) return false
      wishes.change({ memory: memory ?? undefined })
      log.info(`The memory limit of Node-RED is ${next()} MB from its next start on`)
      return true
    },
  }
}
