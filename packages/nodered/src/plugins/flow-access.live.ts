import type { PlatformSettings } from '../settings.ts'
import { type FlowAccess, flowAccess, type FlowAccessOptions } from './flow-access.ts'

/** A protection that can be changed while flows are served. */
export interface LiveAccess extends FlowAccess {
  /** From now on the protection that these settings ask for. */
  set(settings: PlatformSettings): void
}

export function createLiveAccess(options: Omit<FlowAccessOptions, 'settings'>): LiveAccess {
  let current: FlowAccess | undefined
  return {
    set: (settings) => void (current = flowAccess({ ...options, settings })),
    allows: async (request) => current === undefined || current.allows(request),
    refuse(request, response) {
      if (current) current.refuse(request, response)
      // It was lifted between the judgement and the answer.
      else response.writeHead(503, { 'content-type': 'text/plain' }).end('Please try again.\n')
    },
    handle: (request, response) => current?.handle?.(request, response) ?? false,
  }
}
