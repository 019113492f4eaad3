import type { AsyncLocalStorage } from 'node:async_hooks'
import { Socket as DatagramSocket } from 'node:dgram'
import { Server, Socket } from 'node:net'

type Arguments = readonly unknown[]
/** The address of a connection or a listener. */
export interface Target {
  path?: string
  host?: string
  port?: number
}
interface Method {
  owner: object
  name: string
  original: (...values: unknown[]) => unknown
}

/** Maximum time that `release` waits for the listeners to bind. */
const bindMs = 2_000

/** A call that waits, and whether its object was closed meanwhile. */
interface Waiting {
  call(): void
  isOver(): boolean
  /** For a listener: the name shown to people. */
  listener?: { server: Server | DatagramSocket; name: string }
}

export interface HoldSocketsOptions {
  /** Holds a value while a request to the instance is answered: what that connects to is not held. */
  answering: AsyncLocalStorage<true>
  /** Does the platform itself connect to or listen on this? */
  isOwn(target: Target): boolean
}

/**
 * Makes every connection and listener of this process wait: `connect` of TCP, TLS and local sockets, `listen`, and
 * `bind` of UDP. They behave as if the network were slow. What is closed while it waits is dropped.
 */
export function holdSockets({ answering, isOwn }: HoldSocketsOptions) {
  const waiting: Waiting[] = []
  const closed = new WeakSet<object>()
  const undo: (() => void)[] = []
  const passes = (args: Arguments) => {
    const target = targetOf(args)
    return answering.getStore() === true || isOwn(target) || isRefused(target)
  }

  function replace({ owner, name }: Omit<Method, 'original'>, make: (method: Method) => unknown): void {
    const original = Reflect.get(owner, name) as Method['original']
    Reflect.set(owner, name, make({ owner, name, original }))
    undo.push(() => Reflect.set(owner, name, original))
  }

  replace({ owner: Socket.prototype, name: 'connect' }, ({ original }) => {
    return function (this: Socket, ...args: unknown[]) {
      if (passes(args)) return original.apply(this, args)
      // Observers see a connecting socket; data written meanwhile waits.
      Reflect.set(this, 'connecting', true)
      waiting.push({ call: () => original.apply(this, args), isOver: () => this.destroyed })
      return this
    }
  })
  replace({ owner: Server.prototype, name: 'listen' }, ({ original }) => {
    return function (this: Server, ...args: unknown[]) {
      if (passes(args)) return original.apply(this, args)
      closed.delete(this)
      const listener = { server: this, name: `tcp ${targetOf(args).port ?? '?'}` }
      waiting.push({ call: () => original.apply(this, args), isOver: () => closed.has(this), listener })
      return this
    }
  })
  replace({ owner: Server.prototype, name: 'close' }, ({ original }) => {
    return function (this: Server, ...args: unknown[]) {
      closed.add(this)
      return original.apply(this, args)
    }
  })
  replace({ owner: DatagramSocket.prototype, name: 'bind' }, ({ original }) => {
    return function (this: DatagramSocket, ...args: unknown[]) {
      if (passes(args)) return original.apply(this, args)
      const listener = { server: this, name: `udp ${targetOf(args).port ?? '?'}` }
      waiting.push({ call: () => original.apply(this, args), isOver: () => closed.has(this), listener })
      return this
    }
  })
  replace({ owner: DatagramSocket.prototype, name: 'close' }, ({ original }) => {
    return function (this: DatagramSocket, ...args: unknown[]) {
      closed.add(this)
      return original.apply(this, args)
    }
  })

  return {
    /** Does everything that waits, in its order, and lets what comes pass. Returns the listeners that could not bind. */
    async release(): Promise<string[]> {
      for (const back of undo.splice(0)) back()
      const bound: Promise<string | undefined>[] = []
      for (const { call, isOver, listener } of waiting.splice(0)) {
        if (isOver()) continue
        if (listener) bound.push(settled(listener.server).then((isBound) => (isBound ? undefined : listener.name)))
        call()
      }
      return (await Promise.all(bound)).filter((name) => name !== undefined)
    },
  }
}

/** Did it bind? Something that says neither for long is taken for bound. */
function settled(server: Server | DatagramSocket): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isBound: boolean) => () => {
      clearTimeout(timer)
      server.off('listening', bound)
      server.off('error', refused)
      resolve(isBound)
    }
    const bound = end(true)
    const refused = end(false)
    const timer = setTimeout(bound, bindMs)
    server.on('listening', bound)
    server.on('error', refused)
  })
}

/** The arguments of `connect`, `listen` and `bind` are an address in many forms; inside of Node.js they are an array. */
function targetOf(args: Arguments): Target {
  const [first, second] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args
  if (typeof first === 'object' && first !== null) {
    const { path, host, address, port } = first as Record<string, unknown>
    return clean({ path, host: host ?? address, port: port === undefined ? undefined : Number(port) })
  }
  if (typeof first === 'string' && !/^\d+$/.test(first)) return { path: first }
  return clean({
    port: first === undefined ? undefined : Number(first),
    host: typeof second === 'string' ? second : undefined,
  })
}

/** Node.js refuses this at once, which whoever calls has to see. */
const isRefused = ({ port }: Target) => port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)

const clean = (target: Record<string, unknown>): Target =>
  Object.fromEntries(Object.entries(target).filter(([, value]) => value !== undefined && value !== null))
