import { allOn } from '../src/config.switches.ts'

/** The settings of a server of tests, which waits for nothing and keeps nothing ready. */
export const usualConfig = {
  host: '127.0.0.1',
  warmProcesses: 0,
  features: allOn,
  steadySeconds: 0,
  contextMb: 16,
  stopSeconds: 0,
  diskReserve: 0,
  databaseWaitSeconds: 0,
  trustProxy: [],
}
