import { DriverName } from '@app/contract/drivers'
import { isAbsolute, join } from 'node:path'
import * as z from 'zod/mini'
import { withoutNewPrivileges } from './confinement/no-new-privs.ts'

const Path = z.string().check(z.refine(isAbsolute, 'it must be an absolute path'))

const Schema = z
  .object({
    /** Folder of the platform's state. Stacks, instances and their logs are below it. */
    home: Path,
    /** The program that is run for each instance. */
    runtimeEntry: Path,
    /** Where stacks are; `<home>/stacks` by default. */
    stacksDir: z.optional(Path),
    /** Folder in whose node_modules a Node-RED came with the platform; none by default. */
    shipped: z.optional(Path),
    /** Number of processes or containers that may wait, warmed up, for the next instances; none by default. */
    warmProcesses: z.optional(z.int().check(z.minimum(0))),
    /** Users of the operating system that instances may run as, by number; none by default. */
    accounts: z.optional(z.object({ first: z.int().check(z.minimum(1)), last: z.int() })),
    /** Processors that one instance may use at most, such as 0.5; unlimited by default. */
    cpus: z.optional(z.number().check(z.positive())),
    /** MB that one instance may store; 0 takes former limits away; unlimited by default. */
    diskMb: z.optional(z.int().check(z.minimum(0))),
    /** Drivers that can start instances, the usual one first; processes of this machine by default. */
    drivers: z.optional(z.array(DriverName).check(z.minLength(1))),
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
    /** The swarm that the engine manages. */
    swarm: z.optional(
      z.object({
        /** Path of the socket of one of its managers. */
        socket: Path,
        image: z.string(),
        /** The overlay network of the services, made unless it is there. */
        network: z.string(),
        /** Where services may run, as Swarm has it, such as `node.labels.flowforge==1`. */
        constraints: z.array(z.string()),
        /** Address of the platform for instances on all machines. */
        platformUrl: z.string(),
      }),
    ),
    /** The Kubernetes cluster in which pods are started. */
    kubernetes: z.optional(
      z.object({
        /** File with the address of the cluster and how to sign in; absent: those of the pod in which this process runs. */
        kubeconfig: z.optional(Path),
        namespace: z.string(),
        /**
         * The image of the pods. It has Node.js and the program of instances at the paths that they have here. Absent: that of
         * the pod in which this process runs.
         */
        image: z.optional(z.string()),
        /** The volume claim that holds `home`. */
        claim: z.string(),
        /** The root of the claim on this machine; absent: `home`. */
        claimRoot: z.optional(Path),
        /** Address of the platform for pods. */
        platformUrl: z.string(),
        /** Labels that a node must have. */
        nodeSelector: z.record(z.string(), z.string()),
        tolerations: z.array(
          z.object({
            key: z.string(),
            operator: z.enum(['Exists', 'Equal']),
            value: z.optional(z.string()),
            effect: z.optional(z.string()),
          }),
        ),
        /** Secrets with which the image is fetched. */
        pullSecrets: z.array(z.string()),
        /** Resources that a node keeps free for an instance: processors, and a part of the memory of its stack. */
        requests: z.object({
          cpu: z.number().check(z.minimum(0)),
          memory: z.number().check(z.positive(), z.maximum(1)),
        }),
        /** Time that a start waits for a node and for the image. */
        waitSeconds: z.int().check(z.minimum(1)),
      }),
    ),
    /** Command of npm; by default the npm that runs this process, else the one on the PATH. */
    npm: z.optional(z.object({ command: z.string(), args: z.array(z.string()) })),
  })
  .check(
    z.refine(({ drivers = [], kubernetes }) => !drivers.includes('kubernetes') || kubernetes !== undefined, {
      path: ['kubernetes'],
      error: 'pods need a cluster: its namespace, volume claim and address of the platform',
    }),
  )

export type LocalDriverConfig = z.input<typeof Schema>

export interface Config {
  home: string
  accounts?: { first: number; last: number }
  cpus?: number
  diskMb?: number
  runtimeEntry: string
  shipped?: string
  stacksDir: string
  instancesDir: string
  /** Modules of instances, each set once. On the same disk as the instances, or they cannot share files. */
  modulesDir: string
  /** Node.js's compile cache for stacks, which shortens every start. */
  compiledDir: string
  /** The output of the warm processes that wait for an instance, and notes of the containers that do. */
  warmDir: string
  warmProcesses: number
  /** Number of containers that may wait for the next new instances. */
  warmContainers: number
  drivers: readonly [DriverName, ...DriverName[]]
  containers: NonNullable<z.output<typeof Schema>['containers']>
  swarm: NonNullable<z.output<typeof Schema>['swarm']>
  kubernetes: NonNullable<z.output<typeof Schema>['kubernetes']>
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
    diskMb,
    shipped,
    drivers = ['local'],
    containers = usualEngine,
    swarm = { ...usualEngine, constraints: [] },
    kubernetes = noCluster,
  } = Schema.parse(input)
  return {
    home,
    ...(accounts && { accounts }),
    ...(cpus !== undefined && { cpus }),
    ...(diskMb !== undefined && { diskMb }),
    ...(shipped && { shipped }),
    runtimeEntry,
    stacksDir,
    instancesDir: join(home, 'instances'),
    modulesDir: join(home, 'modules'),
    compiledDir: join(stacksDir, 'compiled'),
    warmDir: join(home, 'warm'),
    // Only the usual driver has something wait.
    warmProcesses: drivers[0] === 'local' ? warmProcesses : 0,
    warmContainers: drivers[0] === 'docker' ? warmProcesses : 0,
    drivers: drivers as [DriverName, ...DriverName[]],
    containers,
    swarm,
    kubernetes,
    npm: npm ?? defaultNpm(process.env.npm_execpath),
    wrap: withoutNewPrivileges(),
  }
}

const usualEngine = { socket: '/var/run/docker.sock', image: 'node', network: 'flowforge', platformUrl: '' }

/** Stands for no cluster. Nothing is started there: whoever offers Kubernetes names the cluster. */
const noCluster: Config['kubernetes'] = {
  namespace: 'none',
  claim: 'none',
  platformUrl: 'http://localhost',
  nodeSelector: {},
  tolerations: [],
  pullSecrets: [],
  requests: { cpu: 0, memory: 1 },
  waitSeconds: 1,
}

function defaultNpm(execPath: string | undefined): Config['npm'] {
  return execPath?.endsWith('.js') ? { command: process.execPath, args: [execPath] } : { command: 'npm', args: [] }
}
