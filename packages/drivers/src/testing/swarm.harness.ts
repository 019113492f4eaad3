import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConformanceHarness } from '../conformance.ts'
import type { LocalDriverConfig } from '../local/index.ts'
import { argumentsOf } from '../local/process/identity.ts'
import { ensureImage, image } from './docker.image.ts'
import { openLocal, readRecord } from './local.harness.ts'
import { openRelay, outerAddress } from './relay.ts'

/** The overlay network of tests; the name without the ending is one of a single engine. */
export const network = 'flowforge-test-swarm'

type Swarm = NonNullable<LocalDriverConfig['swarm']>

/** A machine of the swarm: how its engine is asked, as whoever works there would. */
export interface Machine {
  socket: string
}

/** The engines of a swarm on this machine, the manager first: those of FORGE_TEST_SWARM, else the one of DOCKER_HOST or of the machine. */
export const machines: readonly Machine[] = (
  process.env.FORGE_TEST_SWARM ?? (process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '')
)
  .split(',')
  .map((socket) => ({ socket }))

/** Runs the client of Docker on a machine. @throws Error with what it said. */
export const on = ({ socket }: Machine, ...args: string[]): string =>
  execFileSync('docker', ['--host', `unix://${socket}`, ...args], { encoding: 'utf8', stdio: 'pipe' })

export const [manager] = machines as [Machine, ...Machine[]]

/** Gives all machines the image of tests, and makes the engine a swarm of one machine unless it is in one. */
export function ensureSwarm(): void {
  ensureImage()
  const from = `docker --host 'unix://${manager.socket}' save ${image}`
  for (const machine of machines.slice(1))
    if (on(machine, 'images', '--quiet', image) === '')
      execFileSync('sh', ['-c', `${from} | docker --host 'unix://${machine.socket}' load`], { stdio: 'pipe' })
  const state = () => on(manager, 'info', '--format', '{{.Swarm.LocalNodeState}}').trim()
  if (state() === 'active') return
  try {
    on(manager, 'swarm', 'init', '--advertise-addr', '127.0.0.1')
  } catch (error) {
    // Another test may have done it just now.
    if (state() !== 'active') throw error
  }
}

/** The address of this machine that containers on all machines reach. */
export const address = (): string => process.env.FORGE_TEST_SWARM_HOST ?? outerAddress()

/** The settings of a driver that starts instances in the swarm. */
const swarmFor = (platformUrl: string, more: Partial<Swarm>): Swarm => ({
  socket: manager.socket,
  image,
  network,
  constraints: [],
  platformUrl,
  ...more,
})

/** A driver with services of a real swarm over one temporary home, with a platform for their instances. */
export async function openSwarm(more: Partial<Swarm> = {}) {
  const relay = await openRelay()
  const { port } = relay
  const settings = (other: Partial<Swarm>) => swarmFor(`http://${address()}:${port}`, { ...more, ...other })
  const local = await openLocal((platformUrl) => {
    relay.leadTo(platformUrl)
    return { drivers: ['swarm', 'local'], swarm: settings(more) }
  })
  const { home } = local

  /** The container of a process, and the machine that runs it. */
  async function containerOf(key: string): Promise<{ machine: Machine; container: string }> {
    const { identity } = await readRecord(home, key)
    const filter = `label=flowforge.launch=${identity}`
    for (const machine of machines) {
      const container = on(machine, 'ps', '--quiet', '--no-trunc', '--filter', filter).trim()
      if (container !== '') return { machine, container }
    }
    throw new Error('No machine runs this process')
  }

  return {
    ...local,
    /** Where the platform answers instances. */
    platformHost: `${address()}:${port}`,
    /** Another driver over the same instances, with other settings. */
    open: (other: Partial<Swarm> = {}) => local.open({ swarm: settings(other) }),
    reopen: () => local.open(),
    containerOf,
    serviceOf: async (key: string) => (await readRecord(home, key)).service as string,
    crash: async (key: string) => {
      const { machine, container } = await containerOf(key)
      on(machine, 'kill', container)
    },
    async presence(id: string) {
      const { machine, container } = await containerOf(id)
      return () => on(machine, 'ps', '--quiet', '--no-trunc').includes(container)
    },
    programs: (start: string) =>
      readdirSync('/proc').filter((pid) => argumentsOf(Number(pid)).join(' ').startsWith(start)).length,
    logBytes(id: string) {
      const folder = join(home, 'instances', id, 'logs')
      return readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0)
    },
    async close() {
      await local.close()
      relay.close()
    },
  } satisfies ConformanceHarness & Record<string, unknown>
}

/**
 * Stops the engine of a machine where it stands, so that the swarm loses it, and with it the programs of a container, so
 * that nothing there answers. `thaw` ends that.
 */
export function freeze(machine: Machine, container: string | undefined): { thaw(): void } {
  const listed = container === undefined ? '' : on(machine, 'top', container, '-o', 'pid')
  const ofContainer = listed.split('\n').slice(1).map(Number)
  const ofEngine = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && argumentsOf(pid).includes(`unix://${machine.socket}`))
  const all = [...ofEngine, ...ofContainer].filter((pid) => pid > 0)
  const send = (signal: NodeJS.Signals) => {
    for (const pid of all) process.kill(pid, signal)
  }
  send('SIGSTOP')
  return { thaw: () => send('SIGCONT') }
}
