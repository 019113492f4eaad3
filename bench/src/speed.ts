import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

/**
 * Seconds that the same computation takes on all cores at once. A virtual machine is faster and slower by turns, and
 * this tells figures of a slow hour from those of a slow program.
 */
export async function speed(): Promise<number> {
  const started = performance.now()
  await Promise.all(
    Array.from({ length: availableParallelism() }, () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      new Worker(new URL(import.meta.url)).once('message', () => resolve()).once('error', reject)
      return promise
    }),
  )
  return (performance.now() - started) / 1000
}

/** Objects, text and sorting, of which the programs that are measured have much. */
function compute(): number {
  let sum = 0
  for (let round = 0; round < 30; round++) {
    const made = Array.from({ length: 40_000 }, (_, id) => ({ id, name: `n${(id * 7919) % 1000}`, at: [id, id + 1] }))
    const read = JSON.parse(JSON.stringify(made)) as typeof made
    sum += read.toSorted((one, other) => (one.name < other.name ? -1 : 1))[100]!.id
  }
  return sum
}

if (!isMainThread) parentPort?.postMessage(compute())
