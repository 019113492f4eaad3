import { containerUrl } from '@app/contract'
import type { Driver } from '@app/drivers'
import { createLocalDriver } from '@app/drivers/local'
import { fileURLToPath } from 'node:url'
import { type Config, localUrl } from './config.ts'

/** Built by `npm run build`: it starts in a quarter of the time that its sources take. */
const runtimeEntry = fileURLToPath(new URL('../../instance-runtime/dist/main.js', import.meta.url))

/** The root of a clone or of an installed package: Node-RED came with it. */
const shipped = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

/** The only chooser of drivers: instances run as processes on this machine, or in containers of its engine. */
export function openDriver(config: Config): Driver {
  const { home, warmProcesses, instanceUsers, instanceCpus, containers } = config
  return createLocalDriver({
    home,
    runtimeEntry,
    shipped,
    warmProcesses,
    ...(instanceUsers && { accounts: instanceUsers }),
    ...(instanceCpus && { cpus: instanceCpus }),
    ...(containers && {
      drivers: containers.drivers,
      containers: {
        socket: containers.socket,
        image: containers.image,
        network: containers.network,
        platformUrl: containerUrl(localUrl(config)),
      },
    }),
  })
}
