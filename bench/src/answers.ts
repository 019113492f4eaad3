import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type InstanceRecord, recordOf } from './processes.ts'

const everyMs = 5
const waitMs = 60_000

export interface Answer {
  /** The time by performance.now(). */
  at: number
  pid: number
}

/** The first 200 of an instance on its own socket, looked for every 5 ms; of another process than `not`, if given. */
export async function firstAnswer(home: string, id: string, path = '/', not?: number): Promise<Answer> {
  for (const end = performance.now() + waitMs; performance.now() < end; await sleep(everyMs)) {
    const record = recordOf(home, id)
    if (record && (not === undefined || record.pid !== not) && (await answers(record, path)))
      return { at: performance.now(), pid: record.pid }
  }
  throw new Error('No answer within a minute')
}

function answers({ socketDir }: InstanceRecord, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ socketPath: join(socketDir, 'http.sock'), path, agent: false }, (reply) => {
      reply.resume()
      resolve(reply.statusCode === 200)
    })
    asked.on('error', () => resolve(false)).end()
  })
}
