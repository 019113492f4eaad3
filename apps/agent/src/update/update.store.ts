import { AgentOrder, AgentUpdate } from '@app/contract/device-agent'
import { writeWhole } from '@app/drivers/local'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'

const Known = z.extend(AgentOrder, {
  state: z.enum(['begun', 'done', 'failed']),
  /** Number of unfinished attempts. */
  begun: z.number(),
  code: AgentUpdate.shape.code,
  message: AgentUpdate.shape.message,
})
type Known = z.infer<typeof Known>

export type UpdateStore = ReturnType<typeof openUpdates>

/** The last order to update the agent, and how far it came, on disk. */
export function openUpdates(dir: string) {
  const file = join(dir, 'update.json')
  let known = read()

  function read(): Known | undefined {
    try {
      return Known.parse(JSON.parse(readFileSync(file, 'utf8')))
    } catch {
      // There was none, or the file is damaged: the platform orders it again until it is told of the end.
      return undefined
    }
  }

  return {
    get: (): Known | undefined => known,
    /** Returns when it is on disk. */
    put(next: Known): void {
      writeWhole(file, JSON.stringify(next))
      known = next
    },
    /** As `put`; but where the disk is full, it holds until the agent ends. */
    note(next: Known): void {
      known = next
      try {
        writeWhole(file, JSON.stringify(next))
      } catch {
        // The platform is to learn of it all the same.
      }
    },
  }
}
