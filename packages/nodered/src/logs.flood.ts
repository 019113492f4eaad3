/** Half of what a whole log holds at once, and a rate that a person may still follow over the network. */
const burst = { lines: 20_000, bytes: 8 * 1024 * 1024 }
const perSecond = { lines: 2_500, bytes: 1024 * 1024 }

/** Lets so many lines through that a flood of them neither fills disks nor keeps the platform busy, and counts the rest. */
export function createRateLimit(now: () => number = () => performance.now()) {
  let left = { ...burst }
  let at = now()
  let held = 0

  return {
    /** May this line pass? */
    passes(bytes: number): boolean {
      const seconds = (now() - at) / 1_000
      at = now()
      left = {
        lines: Math.min(burst.lines, left.lines + seconds * perSecond.lines),
        bytes: Math.min(burst.bytes, left.bytes + seconds * perSecond.bytes),
      }
      // Once shut it opens for a good part of a second, so that a flood leaves some lines in a row and few marks.
      const enough = held === 0 ? 1 : perSecond.lines / 2
      if (left.lines < enough || left.bytes < Math.max(bytes, held === 0 ? 0 : perSecond.bytes / 2)) {
        held += 1
        return false
      }
      left.lines -= 1
      left.bytes -= bytes
      return true
    },
    /** Number of lines held back since this was asked last. */
    takeHeld(): number {
      const count = held
      held = 0
      return count
    },
  }
}
