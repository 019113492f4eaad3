import type { Slot } from './driver.ts'

export const slots: readonly Slot[] = [0, 1]
export const otherOf = (slot: Slot): Slot => (slot === 0 ? 1 : 0)

/** Names one process of an instance: by the id alone the one in the first place. */
export const keyOf = (id: string, slot: Slot): string => (slot === 0 ? id : `${id}~${slot}`)

/** The instance and the slot of a process's key. */
export function partsOf(key: string): { id: string; slot: Slot } {
  return key.endsWith('~1') ? { id: key.slice(0, -2), slot: 1 } : { id: key, slot: 0 }
}

/** Does the process in this slot serve, by the parts that both processes take? */
export function isServing(slot: Slot, partOf: (slot: Slot) => 'candidate' | 'replacing' | undefined): boolean {
  return partOf(slot) !== 'candidate' && partOf(otherOf(slot)) !== 'replacing'
}
