import * as z from 'zod/mini'
import { containerHost } from './instance-link.constants.ts'

/**
 * Drivers of instances: `local`, as processes of the server's machine; `docker`, in containers of its engine; `swarm`,
 * as services of the swarm that its engine manages, on several machines; `kubernetes`, as pods of a cluster.
 */
export const DriverName = z.enum(['local', 'docker', 'swarm', 'kubernetes'])
export type DriverName = z.infer<typeof DriverName>

const loopback = ['127.0.0.1', 'localhost', '[::1]']

/**
 * The address at which instances in containers reach the platform that answers at `url`. On the loopback address of the
 * machine it is brought to them under a name that they alone know.
 */
export function containerUrl(url: string): string {
  const { hostname, port } = new URL(url)
  return loopback.includes(hostname) ? `http://${containerHost}:${port || 80}` : url
}
