import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConformanceHarness } from '../../conformance.ts'
import type { Driver } from '../../driver.ts'
import type { LocalDriverConfig } from '../../local/index.ts'
import { argumentsOf, identityOf } from '../../local/process/identity.ts'
import { openLocal, readRecord } from '../local.harness.ts'
import { openRelay, outerAddress } from '../relay.ts'
import { startApiDouble } from './api.double.ts'
import { type NodeOptions, startNodeDouble } from './node.double.ts'

type Cluster = NonNullable<LocalDriverConfig['kubernetes']>
type Node = ReturnType<typeof startNodeDouble>

/** The settings of a driver that starts instances in a cluster. */
const clusterFor = (platformUrl: string, kubeconfig: string, more: Partial<Cluster> = {}): Cluster => ({
  kubeconfig,
  namespace: 'flowforge',
  image: 'registry.test/flowforge:0.1.0',
  claim: 'flowforge',
  platformUrl,
  nodeSelector: {},
  tolerations: [],
  pullSecrets: [],
  requests: { cpu: 0.05, memory: 1 },
  waitSeconds: 20,
  ...more,
})

/**
 * A driver with pods of the double of a cluster over one temporary home, with a platform for their instances. What the
 * node of the double cannot do without containers, the driver does not claim here.
 */
export async function openKubernetes(
  more: Partial<Cluster> = {},
  { node: nodeOptions = {}, api: apiOptions = {} }: { node?: Partial<NodeOptions>; api?: object } = {},
) {
  const api = await startApiDouble(apiOptions)
  const relay = await openRelay()
  const settings = (other: Partial<Cluster> = {}) =>
    clusterFor(`http://${outerAddress()}:${relay.port}`, api.kubeconfig, { ...more, ...other })
  const local = await openLocal((platformUrl) => {
    relay.leadTo(platformUrl)
    return { drivers: ['kubernetes', 'local'], kubernetes: settings() }
  })
  const { home } = local
  const node = startNodeDouble(api, { claim: home, ...nodeOptions })
  const podOf = async (key: string) => (await readRecord(home, key)).pod as string

  return {
    ...local,
    api,
    node,
    podOf,
    driver: honest(local.driver, node),
    /** Another driver over the same instances, with other settings. */
    open: (other: Partial<Cluster> = {}) => honest(local.open({ kubernetes: settings(other) }), node),
    reopen: () => honest(local.open(), node),
    crash: async (key: string) => node.crash(await podOf(key)),
    async presence(id: string) {
      const pid = node.pidOf(await podOf(id))!
      const identity = identityOf(pid)
      return () => identityOf(pid) === identity
    },
    programs: (start: string) =>
      readdirSync('/proc').filter((pid) => argumentsOf(Number(pid)).join(' ').startsWith(start)).length,
    logBytes(id: string) {
      const folder = join(home, 'instances', id, 'logs')
      return readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0)
    },
    async close() {
      if (!api.isListening()) await api.listen()
      await local.close()
      await node.close()
      await api.close()
      relay.close()
    },
  } satisfies ConformanceHarness & Record<string, unknown>
}

/** Pods keep instances apart by what containers are; the node of the double has what this machine lets it have. */
function honest(driver: Driver, { can }: Node): Driver {
  const gaps = [
    ...(can.memory ? [] : ['The double of a node cannot limit memory on this machine.']),
    ...(can.kill ? [] : ['The double of a node cannot end all that a process has started on this machine.']),
    ...(can.users ? [] : ['The double of a node runs all processes as one user on this machine.']),
  ]
  const { capabilities } = driver
  return Object.defineProperty(driver, 'capabilities', {
    value: {
      ...capabilities,
      enforcesMemory: can.memory,
      endsDescendants: can.kill,
      isolatesInstances: can.users,
      gaps: [...capabilities.gaps, ...gaps],
    },
  })
}
