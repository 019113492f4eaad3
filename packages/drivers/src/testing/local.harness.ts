import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Driver, InstanceSpec } from '../driver.ts'
import { createLocalDriver, type LocalDriverConfig } from '../local/index.ts'
import type { Machine } from '../local/machine.ts'
import { partsOf } from '../slots.ts'
import { startPlatformDouble, tokenOf } from './platform.double.ts'
import { until } from './until.ts'
import { versions } from './versions.ts'

export { versions, versionsFor } from './versions.ts'

const root = join(import.meta.dirname, '../../../..')
/** The entry point of an instance's process, built by the set-up of these tests. */
export const runtimeEntry = join(root, 'apps/instance-runtime/dist/main.js')
/** Where these tests find the Node-RED versions. */
export const stacksDir = process.env.FORGE_TEST_STACKS ?? join(root, '.cache/stacks')

/** Local drivers over one temporary home, with a platform for their instances. `close` ends them all. */
export async function openLocal(
  more: Partial<LocalDriverConfig> | ((platformUrl: string) => Partial<LocalDriverConfig>) = {},
  machine?: Machine,
  within: string = tmpdir(),
) {
  const home = await mkdtemp(join(within, 'forge-local-'))
  const platform = await startPlatformDouble()
  const config = {
    home,
    runtimeEntry,
    stacksDir,
    accounts: { first: 200_000, last: 265_535 },
    ...(typeof more === 'function' ? more(platform.url) : more),
  }
  const ids = new Set<string>()
  const drivers: Driver[] = []
  const open = (other: Partial<LocalDriverConfig> = {}) => {
    const driver = createLocalDriver({ ...config, ...other }, machine)
    drivers.push(driver)
    return driver
  }
  const spec = (nodered: string = versions[1]): InstanceSpec => {
    const id = randomUUID()
    ids.add(id)
    return {
      id,
      name: 'oven',
      teamId: 'team',
      stack: { nodered, memory: 256 },
      platformUrl: platform.url,
      instanceUrl: 'http://instance.test',
      token: tokenOf(id),
      client: { id: 'ffp_client', secret: 'client-secret' },
      credentialSecret: 'credential-secret',
    }
  }
  const driver = open()

  return {
    home,
    platform,
    driver,
    spec,
    /** Another driver object over the same instances, as after a restart of the platform. */
    open,
    /** Kills the process of an instance or, with `~1` behind the id, its second process. */
    crash: async (key: string) => void process.kill(await pidOf(home, key), 'SIGKILL'),
    /** Gives an instance that is not started yet its flows. */
    putFlows(id: string, flows: object[], credentials?: object) {
      platform.stored.set(`${id}/flows`, flows)
      if (credentials) platform.stored.set(`${id}/credentials`, credentials)
    },
    /** Starts an instance and waits until it runs. */
    async run(nodered?: string) {
      const started = spec(nodered)
      await driver.start(started)
      await runs(driver, started.id)
      return { ...started, endpoint: driver.endpoint(started.id)! }
    },
    async close() {
      for (const one of drivers) await one.close()
      const last = open()
      for (const id of ids) await last.remove(id)
      await last.close()
      await platform.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** Waits until an instance runs. @throws Error when it crashes instead. */
export async function runs(driver: Driver, id: string): Promise<void> {
  await until('the instance runs', async () => {
    const { state, reason } = await driver.status(id)
    if (state === 'crashed') throw new Error(reason)
    return state === 'running'
  })
}

interface Opened {
  driver: Driver
  spec(): InstanceSpec
  putFlows(id: string, flows: object[]): void
}

/** Starts an instance with these flows and waits until it runs. */
export async function begun({ driver, spec, putFlows }: Opened, flows: object[] = []): Promise<InstanceSpec> {
  const one = spec()
  putFlows(one.id, flows)
  await driver.start(one)
  await runs(driver, one.id)
  return one
}

export const pidOf = (home: string, key: string) => readRecord(home, key).then(({ pid }) => pid)

/** Reads the driver's record of an instance's process: `key` is the id, with `~1` for the second one. */
export async function readRecord(
  home: string,
  key: string,
): Promise<{ pid: number; identity: string; [key: string]: unknown }> {
  const { id, slot } = partsOf(key)
  return JSON.parse(await readFile(join(home, 'instances', id, slot === 0 ? 'record.json' : 'record.1.json'), 'utf8'))
}
