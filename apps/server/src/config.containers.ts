import type { DriverName } from '@app/contract'
import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { always } from './config.setting.ts'
import { listed } from './config.values.ts'

/** How instances can be started, the usual way first, and the engine of containers. */
export interface ContainersConfig {
  drivers: [DriverName, ...DriverName[]]
  socket: string
  image: string
  network: string
}

/** The image of this version is made of the same one, and tests run on it. */
const image = 'node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d'

/** The settings about where instances run. */
export const containerSettings = {
  FORGE_DRIVERS: always(
    z
      .string()
      .regex(/^(local|docker|local,docker|docker,local)$/)
      .transform(listed),
    {
      about:
        'Where instances are started: `local` as processes of this machine, `docker` each in a container of the Docker engine on this machine. With both, the first is the usual one, and an instance type may name the other. Instances that run move with their next start. See docs/docker.md.',
      expected: 'one or both of local and docker, separated by a comma',
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
  FORGE_DOCKER_NETWORK: always(z.string().regex(/^[a-zA-Z0-9][\w.-]{0,62}$/), {
    about:
      'Network of the containers of instances. The server makes it unless it is there: instances reach what the machine reaches, and not each other.',
    expected: 'the name of a network',
    fallback: 'flowforge',
    example: 'instances',
  }),
}

interface Values {
  FORGE_DRIVERS: string[]
  FORGE_DOCKER_SOCKET: string
  FORGE_DOCKER_IMAGE: string
  FORGE_DOCKER_NETWORK: string
}

export const containersOf = (values: Values): { containers: ContainersConfig } => ({
  containers: {
    drivers: values.FORGE_DRIVERS as ContainersConfig['drivers'],
    socket: values.FORGE_DOCKER_SOCKET,
    image: values.FORGE_DOCKER_IMAGE,
    network: values.FORGE_DOCKER_NETWORK,
  },
})
