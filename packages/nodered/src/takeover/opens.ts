import { opensMax } from '@app/contract/instance-link.constants'
import type { FlowsOpens, LaunchSpec } from '@app/contract/instance-link'
import { ChildProcess } from 'node:child_process'
import { Socket as DatagramSocket } from 'node:dgram'
import { readdirSync, readlinkSync } from 'node:fs'
import { Server, Socket } from 'node:net'
import type { NodeRed } from '../stack.ts'
import { keptSubscriptions } from './mqtt.ts'
import { platformAddress } from './platform.address.ts'

const isFilled = (value: unknown) => typeof value === 'string' && value !== ''

/** A function node lists the timers of its code that run. */
interface Timers {
  outstandingTimers?: unknown[]
  outstandingIntervals?: unknown[]
}

/** The nodes that act by the clock: injects with a schedule, and functions in which a timer runs just now. */
function countTimers({ nodes }: NodeRed): number {
  let timers = 0
  nodes.eachNode(({ id, type, repeat, crontab }) => {
    const node = type === 'inject' || type === 'function' ? nodes.getNode(id) : null
    if (!node) return
    const { outstandingTimers = [], outstandingIntervals = [] } = node as Timers
    const runs = outstandingTimers.length + outstandingIntervals.length > 0
    if (type === 'inject' ? isFilled(repeat) || isFilled(crontab) : runs) timers += 1
  })
  return timers
}

/**
 * The resources this process has open, besides the platform's own, to which `own` port belongs. Read on demand, so nothing
 * is kept for it.
 */
export function readOpens(
  nodeRed: NodeRed,
  launch: Pick<LaunchSpec, 'platformUrl' | 'platformAddress'>,
  own: number | undefined,
): FlowsOpens {
  // Node.js has no other way to tell, short of replacing what opens them.
  const handles = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles()
  const { host, port } = platformAddress(launch)
  const platform = `${launch.platformAddress ?? host}:${port}`
  const listens = handles.flatMap((handle) => {
    if (handle instanceof Server) {
      const address = handle.address()
      return address && typeof address === 'object' && address.port !== own ? `tcp ${address.port}` : []
    }
    return handle instanceof DatagramSocket ? boundTo(handle) : []
  })
  const isIncoming = (socket: Socket) => ('server' in socket && socket.server) || socket.localPort === own
  const connects = handles.flatMap((handle) =>
    handle instanceof Socket && handle.remotePort !== undefined && !isIncoming(handle)
      ? `${handle.remoteAddress}:${handle.remotePort}`
      : [],
  )
  return {
    listens: distinct(listens),
    connects: distinct(connects.filter((one) => one !== platform)),
    timers: countTimers(nodeRed),
    serial: distinct(serialPorts()),
    programs: handles.filter((handle) => handle instanceof ChildProcess).length,
    kept: distinct(keptSubscriptions(nodeRed)),
  }
}

const distinct = (all: readonly string[]) => [...new Set(all)].toSorted().slice(0, opensMax)

function boundTo(socket: DatagramSocket): string[] {
  try {
    return [`udp ${socket.address().port}`]
  } catch {
    // Not bound: it only sends.
    return []
  }
}

/** A library for serial ports opens them outside of what Node.js tells of. */
function serialPorts(): string[] {
  try {
    return readdirSync('/proc/self/fd').flatMap((descriptor) => {
      const target = linkOf(`/proc/self/fd/${descriptor}`)
      return target !== undefined && /^\/dev\/(tty|rfcomm|serial)./.test(target) ? target : []
    })
  } catch {
    return []
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    // Closed since it was listed.
    return undefined
  }
}
