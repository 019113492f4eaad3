import type { RequestOptions } from 'node:http'
import type { Endpoint } from '../../driver.ts'
import { connectProven, proofOf } from '../../proven.ts'
import { controlSocketOf, httpSocketOf } from '../paths.ts'
import type { InstanceRecord } from '../record.store.ts'
import { type PinnedSocket, pinSocket } from './sockets.ts'

/** Where nothing can be. */
const nowhere = '/dev/null/socket'

/** Where a process answers the platform, and the proof that it wants. */
export type ControlTarget = Pick<InstanceRecord, 'socketDir' | 'controlToken' | 'address'>

/** The options for a request to the control channel, and what to call once the request is made. */
export function controlOf({ socketDir, controlToken, address }: ControlTarget): [RequestOptions, () => void] {
  if (address) {
    const proven = { ...address, proof: proofOf(controlToken, 'control') }
    return [{ createConnection: () => connectProven(proven, 'control') }, () => {}]
  }
  const socket = pinSocket(controlSocketOf(socketDir), 0)
  return [{ socketPath: socket?.path ?? nowhere, agent: false }, () => socket?.release()]
}

/** Where running instances answer HTTP. Sockets are held, and let go of with `release`. */
export function createEndpoints() {
  const pins = new Map<string, PinnedSocket & { identity: string }>()

  function release(id: string): void {
    pins.get(id)?.release()
    pins.delete(id)
  }

  function pathOf({ id, identity, socketDir }: InstanceRecord): string | undefined {
    const known = pins.get(id)
    if (known?.identity === identity) return known.path
    release(id)
    const pinned = pinSocket(httpSocketOf(socketDir))
    if (pinned) pins.set(id, { ...pinned, identity })
    return pinned?.path
  }

  return {
    release,
    /** Where the process of a record answers; undefined where nobody can tell yet. */
    of(record: InstanceRecord): Endpoint | undefined {
      const { address, controlToken } = record
      if (address) return { ...address, proof: proofOf(controlToken, 'http') }
      const socketPath = pathOf(record)
      return socketPath === undefined ? undefined : { socketPath }
    },
    close(): void {
      for (const id of pins.keys()) release(id)
    },
  }
}
