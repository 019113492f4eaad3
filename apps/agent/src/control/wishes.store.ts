import { writeWhole } from '@app/drivers/local'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'

const Wishes = z.object({
  /** Somebody suspended the flows: they start again only when told to, also after a reboot. */
  suspended: z.boolean(),
  /** In developer mode the flows stay, whatever the target is. */
  mode: z._default(z.enum(['autonomous', 'developer']), 'autonomous'),
  /** The token of its tunnel, while editor access is on. */
  editor: z.optional(z.string()),
  /** Its flows may be others than those of the target. */
  isEdited: z.optional(z.boolean()),
  /** Memory limit of Node-RED in MiB; absent: that of the file of the device. */
  memory: z.optional(z.number()),
})
export type Wishes = z.infer<typeof Wishes>

export type WishStore = ReturnType<typeof openWishes>

/** The orders of people that outlast the agent, on disk. */
export function openWishes(dir: string) {
  const file = join(dir, 'wishes.json')
  let wishes = read()

  function read(): Wishes {
    try {
      return Wishes.parse(JSON.parse(readFileSync(file, 'utf8')))
    } catch {
      // A device whose file is missing or damaged does its work.
      return { suspended: false, mode: 'autonomous' }
    }
  }

  return {
    get: (): Wishes => wishes,
    /** Returns when the change is on disk. */
    change(changes: Partial<Wishes>): void {
      const next = { ...wishes, ...changes }
      writeWhole(file, JSON.stringify(next))
      wishes = next
    },
  }
}
