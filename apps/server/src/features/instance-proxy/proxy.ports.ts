import type { EventEmitter } from 'node:events'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { Logger } from 'pino'
import { type Config, localUrl } from '../../config.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { faultOfPort } from '../../platform/http/port.ts'
import { consoleHosts, type Listener, portsBelow } from '../../platform/proxy/index.ts'
import { listPorts } from '../instances/index.ts'

/** A program that has the port of an instance may end. */
const retryMs = 5_000

export interface PortDependencies {
  database: Database
  bus: Bus
  log: Logger
  config: Pick<Config, 'baseUrl' | 'host' | 'port' | 'instancePorts' | 'tls'>
}

export type Ports = ReturnType<typeof createPorts>

/**
 * The ports of instances, on a platform that gives them in the place of names. The server that runs the instances
 * listens on each as it does for the console: with its certificate, or by plain HTTP where people come that way. Behind
 * a reverse proxy with TLS it does not listen: the proxy has the ports, and sends what comes there to FORGE_PORT.
 */
export function createPorts({ database, bus, log, config }: PortDependencies) {
  const { instancePorts: range, tls, baseUrl } = config
  const isBehind = !tls && baseUrl.startsWith('https:')
  const host = tls ? tls.host : config.host
  const open = new Map<number, Server>()
  const known = new Map<string, number>()
  const faults = new Map<number, string>()
  let stops: (() => void)[] = []
  let retry: NodeJS.Timeout | undefined
  let refreshing: Promise<void> | undefined
  let isStale = false

  function schedule(): void {
    retry ??= setTimeout(() => {
      retry = undefined
      void refresh()
    }, retryMs).unref()
  }

  async function listen(port: number): Promise<void> {
    const server = createServer({ allowHalfOpen: !tls, noDelay: true }, (socket) =>
      to!.target.emit('connection', socket),
    )
    open.set(port, server)
    try {
      server.listen({ port, ...(host && { host }) })
      await once(server, 'listening')
      to!.listener.join(server)
      faults.delete(port)
    } catch (error) {
      open.delete(port)
      const fault = faultOfPort(error, { host, port }, { host: tls ? 'FORGE_TLS_HOST' : 'FORGE_HOST', port: 'it' })
      if (!faults.has(port)) log.warn({ err: error, port }, 'an instance has no port to answer on')
      faults.set(port, fault?.split('.')[0] ?? `Port ${port} cannot be had`)
      schedule()
    }
  }

  /** Listens where an instance is, and nowhere else. */
  async function work(): Promise<void> {
    while (isStale) {
      isStale = false
      const rows = await listPorts(database.read, range!)
      if (stops.length === 0) return
      known.clear()
      for (const { id, port } of rows) known.set(id, port!)
      const wanted = new Set(known.values())
      for (const port of faults.keys()) if (!wanted.has(port)) faults.delete(port)
      for (const [port, server] of open) {
        if (wanted.has(port)) continue
        server.close()
        open.delete(port)
      }
      await Promise.all([...wanted].filter((port) => !open.has(port)).map(listen))
    }
  }

  async function refresh(): Promise<void> {
    isStale = true
    refreshing ??= work()
      .catch((error: unknown) => {
        log.error({ err: error }, 'the ports of instances were not read')
        schedule()
      })
      .finally(() => (refreshing = undefined))
    return refreshing
  }

  let to: { listener: Listener; target: EventEmitter } | undefined

  return {
    /** The port of the instance that a host means, as `hostOf` returns it; absent where instances have names. */
    portOf: range && portsBelow(consoleHosts(baseUrl, localUrl(config)), range),
    /** Why instances have no port to answer on, a sentence each without its full stop. */
    faults: (): readonly string[] => [...faults.values()],
    /** Listens. `target` takes the connections, encrypted or not, and `listener` is what answers in the end. */
    async listen(listener: Listener, target: EventEmitter): Promise<void> {
      if (!range || isBehind) return
      to = { listener, target }
      stops = [
        bus.subscribe((event) => {
          const isNew = event.type === 'instance' && !known.has(event.id)
          if (isNew || event.type === 'instance.deleted') void refresh()
        }),
        bus.onGap(() => void refresh()),
      ]
      await refresh()
    },
    /** Takes no new connections there. */
    close(): void {
      for (const stop of stops) stop()
      stops = []
      clearTimeout(retry)
      for (const server of open.values()) server.close()
      open.clear()
    },
  }
}
