import { DriverName } from '@app/contract'
import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { type KubernetesConfig, kubernetesOf, kubernetesSettings } from './config.kubernetes.ts'
import { always, optionally } from './config.setting.ts'
import { isOrigin, listed } from './config.values.ts'

/** Drivers that can start instances, the usual one first; the engine of containers with its swarm; the cluster. */
export interface ContainersConfig {
  drivers: [DriverName, ...DriverName[]]
  socket: string
  image: string
  network: string
  swarm: {
    network: string
    constraints: string[]
    /** Address of the platform for instances on all machines; absent: that of people. */
    url?: string
  }
  kubernetes: KubernetesConfig
}

/** The image of this version is made of the same one, and tests run on it. */
const image = 'node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d'

const networkName = /^[a-zA-Z0-9][\w.-]{0,62}$/
const constraint = /^(node|engine)\.[\w.-]+\s*(==|!=)\s*[\w.: -]+$/
const conditions = (text: string) => listed(text).filter((one) => one !== '')
const isDriver = (name: string) => DriverName.safeParse(name).success

/** The settings about where instances run. */
export const containerSettings = {
  FORGE_DRIVERS: always(
    z
      .string()
      .transform(listed)
      .refine((names) => names.every(isDriver) && new Set(names).size === names.length),
    {
      about:
        'Where instances are started: `local` as processes of this machine, `docker` each in a container of the Docker engine on this machine, `swarm` each as a service of the Docker swarm that this engine manages, on any of its machines, `kubernetes` each in a pod of a Kubernetes cluster. With several, the first is the default, and an instance type may name another. After a change, running instances move at their next start. See docs/docker.md, docs/swarm.md and docs/kubernetes.md.',
      expected: 'one or more of local, docker, swarm and kubernetes, separated by commas',
      fallback: 'local',
      example: 'local,docker',
    },
  ),
  FORGE_DOCKER_SOCKET: always(z.string().refine(isAbsolute), {
    about: 'Socket of the Docker engine on this machine. The server must be allowed to use it.',
    expected: 'the path of a socket',
    fallback: '/var/run/docker.sock',
    example: '/run/docker.sock',
  }),
  FORGE_DOCKER_IMAGE: always(z.string().regex(/^[a-z0-9][\w./:@-]*$/i), {
    about:
      'Image of the containers of instances. It needs the C library of Debian 12 or newer, a shell, and npm for modules that people add in the editor. Node.js and Node-RED come from the server.',
    expected: 'the name of an image, with a tag or a digest',
    fallback: image,
    example: 'registry.example.com/node:24-bookworm',
  }),
  FORGE_DOCKER_NETWORK: always(z.string().regex(networkName), {
    about:
      'Network of the containers of instances. The server creates it if it does not exist. Instances reach what the machine reaches, but not each other.',
    expected: 'the name of a network',
    fallback: 'flowforge',
    example: 'instances',
  }),
  FORGE_SWARM_NETWORK: always(z.string().regex(networkName), {
    about:
      'Overlay network of instances that run as services of a swarm. The server creates it, encrypted, if it does not exist. Instances reach each other there, and other services by their names.',
    expected: 'the name of a network',
    fallback: 'flowforge-swarm',
    example: 'instances',
  }),
  FORGE_SWARM_CONSTRAINTS: always(
    z
      .string()
      .transform(conditions)
      .refine((all) => all.every((one) => constraint.test(one))),
    {
      about:
        'Machines on which instances may run as services of a swarm, in the form of `docker service create --constraint`. All of them must hold.',
      expected: 'a list of conditions such as node.role==worker, separated by commas',
      fallback: '',
      example: 'node.labels.flowforge==1,node.role==worker',
    },
  ),
  FORGE_SWARM_URL: optionally(z.string().refine(isOrigin), {
    about:
      'Address of this server for instances on the machines of a swarm, if they cannot use FORGE_BASE_URL: for example one in a private network.',
    expected: 'an http:// or https:// address without a path',
    fallback: 'FORGE_BASE_URL',
    example: 'http://10.0.0.5:3000',
  }),
  ...kubernetesSettings,
}

type Values = Parameters<typeof kubernetesOf>[0] & {
  FORGE_DRIVERS: string[]
  FORGE_DOCKER_SOCKET: string
  FORGE_DOCKER_IMAGE: string
  FORGE_DOCKER_NETWORK: string
  FORGE_SWARM_NETWORK: string
  FORGE_SWARM_CONSTRAINTS: string[]
  FORGE_SWARM_URL?: string | undefined
}

export const containersOf = (values: Values): { containers: ContainersConfig } => ({
  containers: {
    drivers: values.FORGE_DRIVERS as ContainersConfig['drivers'],
    socket: values.FORGE_DOCKER_SOCKET,
    image: values.FORGE_DOCKER_IMAGE,
    network: values.FORGE_DOCKER_NETWORK,
    swarm: {
      network: values.FORGE_SWARM_NETWORK,
      constraints: values.FORGE_SWARM_CONSTRAINTS,
      ...(values.FORGE_SWARM_URL !== undefined && { url: values.FORGE_SWARM_URL.replace(/\/$/, '') }),
    },
    kubernetes: kubernetesOf(values),
  },
})
