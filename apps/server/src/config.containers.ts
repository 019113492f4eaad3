import { containerHost } from '@app/contract/instance-link.constants'
import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { always } from './config.setting.ts'

/** The engine of containers, and whether instances are started in its containers. */
export interface ContainersConfig {
  chosen: boolean
  socket: string
  image: string
  network: string
}

/** The image of this version is made of the same one, and tests run on it. */
const image = 'node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d'

/** The settings about where instances run. */
export const containerSettings = {
  FORGE_DRIVERS: always(z.enum(['local', 'docker']), {
    about:
      'Where instances are started: as processes of this machine, or each in a container of the Docker engine on this machine. Instances that run move with their next start. See docs/docker.md.',
    expected: 'one of local and docker',
    fallback: 'local',
    example: 'docker',
  }),
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
  FORGE_DRIVERS: 'local' | 'docker'
  FORGE_DOCKER_SOCKET: string
  FORGE_DOCKER_IMAGE: string
  FORGE_DOCKER_NETWORK: string
}

export const containersOf = (values: Values): { containers: ContainersConfig } => ({
  containers: {
    chosen: values.FORGE_DRIVERS === 'docker',
    socket: values.FORGE_DOCKER_SOCKET,
    image: values.FORGE_DOCKER_IMAGE,
    network: values.FORGE_DOCKER_NETWORK,
  },
})

/**
 * The address at which instances in containers reach the server that answers at `localUrl`. On the loopback address of the
 * machine it is brought to them under a name that they alone know.
 */
export function containerUrl(localUrl: string): string {
  const { hostname, port } = new URL(localUrl)
  return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname) ? `http://${containerHost}:${port || 80}` : localUrl
}
