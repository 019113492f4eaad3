import type { Driver } from '@app/drivers'
import { createLocalDriver } from '@app/drivers/local'
import { fileURLToPath } from 'node:url'
import type { Config } from './config.ts'

const runtimeEntry = fileURLToPath(new URL('../../instance-runtime/src/main.ts', import.meta.url))

/** The only chooser of drivers: instances run as processes on this machine. */
export function openDriver(config: Config): Driver {
  const { home, warmProcesses, instanceUsers } = config
  return createLocalDriver({ home, runtimeEntry, warmProcesses, ...(instanceUsers && { accounts: instanceUsers }) })
}
