import type { Machine } from '../local/machine.ts'

/** A machine that always has the time and the memory to work ahead. */
export const unusedMachine: Machine = { hasRoom: () => true, isIdle: async () => true, settleMs: 100 }
