import type { Capabilities, InstanceSpec, Usage } from '../../driver.ts'
import type { Config } from '../config.ts'
import type { Confinement } from '../confinement/confinement.ts'
import type { Paths } from '../paths.ts'
import type { ProcessPool } from '../pool/pool.processes.ts'
import type { InstanceRecord } from '../record.store.ts'
import { readUsage } from '../usage/usage.ts'
import { hungReason } from './hung.ts'
import { isOfThisBoot } from './identity.ts'
import { launch, type LaunchOptions, type Launched } from './launch.ts'
import type { Live } from './live.ts'
import { findOwn, isAlive, isGoneWithin, type OwnProcess } from './process.ts'

/**
 * The ways in which processes of instances exist: as processes of this machine, or each in a container
 * of its own, here or elsewhere.
 * Everything else about them is the same, and does not know which it is.
 */
export interface Processes {
  readonly capabilities: Omit<Capabilities, 'outlivesPlatform'>
  /**
   * Starts a process and notes it. It gets its specification only when the note is on disk.
   * @throws DriverError with a sentence.
   */
  start(paths: Paths, spec: InstanceSpec, options: LaunchOptions): Promise<Launched>
  /** Is there still the process that this record was written for, as far as is known now? */
  isAlive(record: InstanceRecord): boolean
  /** The same after a look. */
  look(record: InstanceRecord): Promise<boolean>
  /** Finds the process of a record, once it has shown that it is that. @throws DriverError when that cannot be told. */
  findOwn(record: InstanceRecord): Promise<OwnProcess | undefined>
  /** Waits until the process is gone; false when it is still there after `ms`. */
  isGoneWithin(record: InstanceRecord, ms: number): Promise<boolean>
  /** Or was it started before this machine was? */
  isOfThisBoot(record: InstanceRecord): boolean
  /** Why a process is gone, where those who ran it know more than it could say itself. One sentence without its point. */
  endReason(record: InstanceRecord): Promise<string | undefined>
  /** Was something of this process, which is gone, ended because its memory was used up? */
  ranOutOfMemory(record: InstanceRecord): Promise<boolean>
  /** Has what a process that is gone printed past its log in the file for that. */
  keepOutput(record: InstanceRecord, paths: Paths): Promise<void>
  /**
   * Ends everything that a process which is gone has left. `wasSeen`: it was seen alive, so that its number in the
   * record is known to have been its own. `isShared`: is there another process of the instance?
   */
  endLeftovers(
    record: InstanceRecord,
    paths: Paths,
    options: { wasSeen: boolean; isShared: () => boolean },
  ): Promise<void>
  /** The reason people read while a process does not answer. */
  hungReason(record: InstanceRecord): string
  /** Why a process cannot be ended, where more is known than that. One sentence without its point. */
  stuckReason?(record: InstanceRecord): string | undefined
  usage(live: Live): Promise<Usage | undefined>
}

/** Processes of this machine, in sessions and groups of their own. */
export function createMachineProcesses(config: Config, pool: ProcessPool, confinement: Confinement): Processes {
  return {
    capabilities: confinement.capabilities,
    start: (paths, spec, options) => launch({ config, pool, confinement }, paths, spec, options),
    isAlive,
    look: async (record) => isAlive(record),
    findOwn: (record) => findOwn(config, record),
    isGoneWithin,
    isOfThisBoot: ({ identity }) => isOfThisBoot(identity),
    endReason: async () => undefined,
    ranOutOfMemory: async ({ id }) => confinement.ranOutOfMemory(id),
    async keepOutput() {
      // It went there at once.
    },
    endLeftovers: confinement.endLeftovers,
    hungReason,
    usage: readUsage,
  }
}
