import { image } from '@app/drivers/testing/docker-image'
import { address, ensureSwarm, machines, manager, network, on } from '@app/drivers/testing/swarm'
import { afterAll, beforeAll, test } from 'vitest'
import { freePort } from '../../../tools/test/free-port.ts'
import { readConfig } from '../src/config.ts'
import { expectLifeElsewhere } from './elsewhere.life.ts'
import { openRealPlatform, type RealPlatform } from './real.platform.ts'

/*
 * A whole platform whose instances are services of a real swarm. Where no engine answers, `npm test` leaves the step out.
 */
let platform: RealPlatform
beforeAll(async () => {
  ensureSwarm()
  const port = await freePort()
  platform = await openRealPlatform({
    port,
    host: '0.0.0.0',
    instanceUsers: { first: 200_000, last: 265_535 },
    containers: {
      ...readConfig({}).containers!,
      drivers: ['swarm', 'local'],
      socket: manager.socket,
      image,
      network,
      swarm: { network, constraints: [], url: `http://${address()}:${port}` },
    },
  })
})
afterAll(() => platform.sweep())

const containersOf = ({ id }: { id: string }) =>
  machines.flatMap((machine) =>
    on(machine, 'ps', '--quiet', '--filter', `label=flowforge.process=${id}`).split('\n').filter(Boolean),
  )

test(
  'an instance in a swarm is made, deployed beside what serves, suspended, started and deleted; a server that starts again finds it',
  {
    timeout: 300_000,
  },
  () => expectLifeElsewhere(platform, containersOf),
)
