import { startApiDouble } from '@app/drivers/testing/kubernetes-api'
import { startNodeDouble } from '@app/drivers/testing/kubernetes-node'
import { outerAddress } from '@app/drivers/testing/relay'
import { afterAll, beforeAll, test } from 'vitest'
import { freePort } from '../../../tools/test/free-port.ts'
import { readConfig } from '../src/config.ts'
import { expectLifeElsewhere } from './elsewhere.life.ts'
import { openRealPlatform, type RealPlatform } from './real.platform.ts'

/*
 * A whole platform whose instances are pods of the double of a cluster.
 */
let platform: RealPlatform
let api: Awaited<ReturnType<typeof startApiDouble>>
let node: ReturnType<typeof startNodeDouble>
beforeAll(async () => {
  api = await startApiDouble()
  const port = await freePort()
  const { containers } = readConfig({
    FORGE_DRIVERS: 'kubernetes,local',
    FORGE_KUBERNETES_CONFIG: api.kubeconfig,
    FORGE_KUBERNETES_IMAGE: 'registry.test/flowforge:0.1.0',
    FORGE_KUBERNETES_URL: `http://${outerAddress()}:${port}`,
  })
  platform = await openRealPlatform({
    port,
    host: '0.0.0.0',
    instanceUsers: { first: 200_000, last: 265_535 },
    containers: containers!,
  })
  node = startNodeDouble(api, { claim: platform.home })
})
afterAll(async () => {
  await platform.sweep()
  await node.close()
  await api.close()
})

const podsOf = ({ id }: { id: string }) =>
  api.objects.list('pods/flowforge', { 'flowforge.instance': id }).items.map(({ metadata }) => metadata.uid)

test(
  'an instance in a cluster is made, deployed beside what serves, suspended, started and deleted; a server that starts again finds it',
  {
    timeout: 300_000,
  },
  () => expectLifeElsewhere(platform, podsOf),
)
