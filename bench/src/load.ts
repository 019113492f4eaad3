import autocannon, { type Options } from 'autocannon'

export interface Load {
  /** Milliseconds of each answer. */
  latencies: number[]
  requestsPerSecond: number
}

/**
 * Sends requests over kept connections and waits for all answers.
 * Without an amount or a duration it goes on until `enough` is settled.
 * @throws Error when one was not a 2xx, since then something else was measured.
 */
export async function load(options: Options, enough?: Promise<unknown>): Promise<Load> {
  const latencies: number[] = []
  const statuses = new Map<number, number>()
  const started = performance.now()
  let ended = started
  // Its own figures are in whole milliseconds and whole seconds, which is too coarse for most rows.
  const run = autocannon(options)
  run.on('response', (_client, status, _bytes, ms) => {
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    ended = performance.now()
    latencies.push(ms)
  })
  const stop = () => run.stop()
  void enough?.then(stop, stop)
  const result = await run
  if (result.non2xx + result.errors + result.timeouts > 0 || result['2xx'] === 0) {
    const seen = [...statuses].map(([status, count]) => `${count} with ${status}`).join(', ')
    const silent = `${result.errors} errors, ${result.timeouts} timeouts`
    throw new Error(`${options.method ?? 'GET'} ${options.url} was answered ${seen}; ${silent}`)
  }
  return { latencies, requestsPerSecond: (1000 * result['2xx']) / (ended - started) }
}
