import autocannon, { type Options } from 'autocannon'

export interface Load {
  /** Milliseconds of each answer. */
  latencies: number[]
  requestsPerSecond: number
}

/**
 * Sends requests over kept connections and waits for all answers.
 * @throws Error when one was not a 2xx, since then something else was measured.
 */
export async function load(options: Options): Promise<Load> {
  const latencies: number[] = []
  const started = performance.now()
  let ended = started
  // Its own figures are in whole milliseconds and whole seconds, which is too coarse for most rows.
  const run = autocannon(options)
  run.on('response', (_client, _status, _bytes, ms) => {
    ended = performance.now()
    latencies.push(ms)
  })
  const result = await run
  const bad = result.non2xx + result.errors + result.timeouts
  if (bad > 0 || result['2xx'] === 0)
    throw new Error(`${bad} of ${latencies.length} answers of ${options.url} were no 2xx`)
  return { latencies, requestsPerSecond: (1000 * result['2xx']) / (ended - started) }
}
