import { once } from 'node:events'
import { createServer } from 'node:net'

interface Endpoint {
  /** Absent: every address of the machine. */
  host?: string | undefined
  port: number
}

interface Names {
  host: string
  port: string
}

/** Listens for a moment. @throws Error when the server could not: the port is in use, or not to be had. */
export async function checkPort(endpoint: Endpoint): Promise<void> {
  const server = createServer()
  server.listen({ port: endpoint.port, ...(endpoint.host && { host: endpoint.host }), exclusive: true })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

/** Why a server cannot listen, and what to do about it; undefined for an error of something else. */
export function faultOfPort(
  error: unknown,
  { host, port }: Endpoint,
  names: Names = { host: 'FORGE_HOST', port: 'FORGE_PORT' },
): string | undefined {
  const { code, syscall, hostname } = (error ?? {}) as NodeJS.ErrnoException & { hostname?: string }
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use by another program. Stop it, or set ${names.port} to another port.`
  const isUnknown = syscall === 'getaddrinfo' && hostname === host
  if (syscall !== 'listen' && !isUnknown) return undefined
  if (code === 'EADDRNOTAVAIL' || isUnknown)
    return `${names.host} is ${host}, which is no address of this machine. Set it to one, or to 0.0.0.0 for all.`
  if (code === 'EACCES')
    return `The user of the server may not listen on port ${port}. Set ${names.port} to one above 1023, and put a reverse proxy before it; or give it the right: CAP_NET_BIND_SERVICE.`
  return undefined
}
