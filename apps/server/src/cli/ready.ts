import { setTimeout as delay } from 'node:timers/promises'
import { localUrl, readConfig } from '../config.ts'
import type { Shell } from './run.ts'

const lookEveryMs = 250
const answerMs = 5_000

/** Asks the server of these settings whether it answers, for at most so many seconds. @returns 0 if it does, else 1. */
export async function ready({ env, say }: Pick<Shell, 'env' | 'say'>, seconds: number): Promise<0 | 1> {
  const url = `${localUrl(readConfig(env))}/readyz`
  const until = performance.now() + seconds * 1000
  for (;;) {
    const status = await statusOf(url)
    if (status === 200) return 0
    if (performance.now() >= until) {
      say(status === 0 ? `No server answers at ${url}.` : `The server is not ready: ${url} answers ${status}.`)
      return 1
    }
    await delay(lookEveryMs)
  }
}

const statusOf = (url: string): Promise<number> =>
  fetch(url, { signal: AbortSignal.timeout(answerMs) }).then(
    ({ status }) => status,
    () => 0,
  )
