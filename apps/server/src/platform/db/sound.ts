import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

/** In a thread of its own: the whole file is read, which takes a second for each gigabyte or more. */
const program = `
const { parentPort, workerData } = require('node:worker_threads')
const { DatabaseSync } = require('node:sqlite')
let found
try {
  const db = new DatabaseSync(workerData, { readOnly: true })
  found = String(Object.values(db.prepare('pragma quick_check(1)').get())[0])
} catch (error) { found = error.message }
parentPort.postMessage(found)`

/** Finds damage in the embedded database of a home, in the words of SQLite; undefined when it is sound. */
export async function damageOf(home: string): Promise<string | undefined> {
  const worker = new Worker(program, { eval: true, workerData: join(home, 'forge.db') })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  worker.once('message', resolve).once('error', reject)
  const found = await promise.finally(() => void worker.terminate())
  return found === 'ok' ? undefined : found
}
