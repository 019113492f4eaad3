import { containerUrl } from '@app/contract'
import type { Driver } from '@app/drivers'
import { createLocalDriver } from '@app/drivers/local'
import { fileURLToPath } from 'node:url'
import { type Config, kubernetesUrl, localUrl, swarmUrl } from './config.ts'

/** Built by `npm run build`: it starts in a quarter of the time that its sources take. */
const runtimeEntry = fileURLToPath(new URL('../../instance-runtime/dist/main.js', import.meta.url))

/** The root of a clone or of an installed package: Node-RED came with it. */
const shipped = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

/**
 * The only chooser of drivers: instances run as processes on this machine, in containers of its engine, as services of its
 * swarm, or as pods of a cluster.
 */
export function openDriver(config: Config): Driver {
  const { home, warmProcesses, instanceUsers, instanceCpus, instanceDiskMb, containers } = config
  return createLocalDriver({
    home,
    runtimeEntry,
    shipped,
    warmProcesses,
    ...(instanceUsers && { accounts: instanceUsers }),
    ...(instanceCpus && { cpus: instanceCpus }),
    ...(instanceDiskMb !== undefined && { diskMb: instanceDiskMb }),
    ...(containers && {
      drivers: containers.drivers,
      containers: {
        socket: containers.socket,
        image: containers.image,
        network: containers.network,
        platformUrl: containerUrl(localUrl(config)),
      },
      swarm: {
        socket: containers.socket,
        image: containers.image,
        network: containers.swarm.network,
        constraints: containers.swarm.constraints,
        platformUrl: swarmUrl(config),
      },
      kubernetes: { ...containers.kubernetes, platformUrl: kubernetesUrl(config) },
    }),
  })
}
