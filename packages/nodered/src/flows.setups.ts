import { flowFaultsMax } from '@app/contract/instance-link.constants'
import type { FlowFault } from '@app/contract/instance-link'
import { createDeadNodes } from './flows.dead.ts'
import type { createFaults } from './flows.faults.ts'
import type { FlowNodes } from './flows.nodes.ts'

/** Setup code that takes longer is listed among the errors of running flows. */
const lateMs = 10_000
const fault = { kind: 'setup', message: 'Its setup code (On Start) has not ended, so its messages wait' } as const

interface SetupsOptions {
  known: Pick<FlowNodes, 'find' | 'place'>
  faults: Pick<ReturnType<typeof createFaults>, 'add' | 'calm'>
  /** Are inputs closed? Setup code may wait for a connection then. */
  isHeld(): boolean
}

/** Functions whose setup code has not ended. Node-RED keeps their messages, for ever if it never ends. */
export function createSetups({ known, faults, isHeld }: SetupsOptions) {
  const waiting = createDeadNodes(known)

  function tellLate(id: string): NodeJS.Timeout {
    return setTimeout(() => {
      if (isHeld()) tellLate(id)
      else if (waiting.since().has(id)) faults.add({ ...fault, id, type: 'function' })
    }, lateMs).unref()
  }

  return {
    ...waiting,
    /**
     * `path`: ids of the tab, of the instances of subflows that it is in, and its own in the flows: it may run with another.
     * Returns what is called when its setup code has ended.
     */
    begun(running: string, path: unknown): () => void {
      const within = typeof path === 'string' ? path.split('/') : []
      const id = within.pop() ?? running
      const forget = waiting.add(id, within.length > 0 ? within.join('/') : undefined)
      const timer = tellLate(id)
      return () => {
        clearTimeout(timer)
        forget()
        if (!waiting.since().has(id)) faults.calm(id, 'setup')
      }
    },
    /** A fault for each of these functions. */
    faults: (): FlowFault[] =>
      [...waiting.since()]
        .slice(0, flowFaultsMax)
        .map(([id, at]) => ({ ...fault, node: known.place(id, 'function'), count: 1, at })),
  }
}
