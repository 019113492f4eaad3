import { setTimeout as delay } from 'node:timers/promises'

const everyMs = 10

/** Waits until something is gone; false when it is still there after `ms`. */
export async function isGone(isIt: () => boolean, ms: number): Promise<boolean> {
  for (const until = Date.now() + ms; Date.now() < until; await delay(everyMs)) if (isIt()) return true
  return isIt()
}
