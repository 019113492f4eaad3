import { isAbsolute, join } from 'node:path'
import * as z from 'zod/mini'
import type { DriverName } from '../driver.ts'
import { withoutNewPrivileges } from './confinement/no-new-privs.ts'

const Path = z.string().check(z.refine(isAbsolute, 'it must be an absolute path'))

const Schema = z.object({
  /** Folder of the platform's state. Stacks, instances and their logs are below it. */
  home: Path,
  /** The program that is run for each instance. */
  runtimeEntry: Path,
  /** Where stacks are; `<home>/stacks` by default. */
  stacksDir: z.optional(Path),
  /** Folder in whose node_modules a Node-RED came with the platform; none by default. */
  shipped: z.optional(Path),
  /** How many processes may wait, warmed up, for the next instances; none by default. */
  warmProcesses: z.optional(z.int().check(z.minimum(0))),
  /** Users of the operating system that instances may run as, by number; none by default. */
  accounts: z.optional(z.object({ first: z.int().check(z.minimum(1)), last: z.int() })),
  /** Processors that one instance may use at most, such as 0.5; unlimited by default. */
  cpus: z.optional(z.number().check(z.positive())),
  /** How instances can be started, the usual way first; as processes of this machine by default. */
  drivers: z.optional(z.array(z.enum(['local', 'docker'])).check(z.minLength(1))),
  /** The engine of containers, also for those that were started when that was chosen. */
  containers: z.optional(
    z.object({
      /** Path of its socket. */
      socket: Path,
      /** The image that each container is made of: it needs the C library and a shell. */
      image: z.string(),
      /** The network of the containers, made unless it is there. */
      network: z.string(),
      /** Address of the platform for instances in containers. */
      platformUrl: z.string(),
    }),
  ),
  /** How npm is run; by default the npm that runs this process, else the one on the PATH. */
  npm: z.optional(z.object({ command: z.string(), args: z.array(z.string()) })),
})

export type LocalDriverConfig = z.input<typeof Schema>

export interface Config {
  home: string
  accounts?: { first: number; last: number }
  cpus?: number
  runtimeEntry: string
  shipped?: string
  stacksDir: string
  instancesDir: string
  /** Modules of instances, each set once. On the same disk as the instances, or they cannot share files. */
  modulesDir: string
  /** Node.js's compile cache for stacks, which shortens every start. */
  compiledDir: string
  /** The output of the warm processes that wait for an instance. */
  warmDir: string
  warmProcesses: number
  drivers: readonly [DriverName, ...DriverName[]]
  containers: NonNullable<z.output<typeof Schema>['containers']>
  npm: { command: string; args: string[] }
  /** Stands before the commands that run code of others. */
  wrap: string[]
}

/** @throws ZodError naming what is wrong. */
export function readConfig(input: LocalDriverConfig): Config {
  const {
    home,
    runtimeEntry,
    stacksDir = join(home, 'stacks'),
    warmProcesses = 0,
    npm,
    accounts,
    cpus,
    shipped,
    drivers = ['local'],
    containers = usualEngine,
  } = Schema.parse(input)
  return {
    home,
    ...(accounts && { accounts }),
    ...(cpus !== undefined && { cpus }),
    ...(shipped && { shipped }),
    runtimeEntry,
    stacksDir,
    instancesDir: join(home, 'instances'),
    modulesDir: join(home, 'modules'),
    compiledDir: join(stacksDir, 'compiled'),
    warmDir: join(home, 'warm'),
    // A container gets its folders when it is made, so none can wait for an instance.
    warmProcesses: drivers[0] === 'docker' ? 0 : warmProcesses,
    drivers: drivers as [DriverName, ...DriverName[]],
    containers,
    npm: npm ?? defaultNpm(process.env.npm_execpath),
    wrap: withoutNewPrivileges(),
  }
}

const usualEngine = { socket: '/var/run/docker.sock', image: 'node', network: 'flowforge', platformUrl: '' }

function defaultNpm(execPath: string | undefined): Config['npm'] {
  return execPath?.endsWith('.js') ? { command: process.execPath, args: [execPath] } : { command: 'npm', args: [] }
}
