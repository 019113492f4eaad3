import { setTimeout as delay } from 'node:timers/promises'

const everyMs = 20

/** Asks again and again until there is an answer other than undefined and false. @throws Error after `ms`. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  ms = 40_000,
): Promise<Exclude<T, undefined | false>> {
  for (const end = Date.now() + ms; Date.now() < end; await delay(everyMs)) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>
  }
  throw new Error(`Waited ${ms} ms in vain: ${what}`)
}
