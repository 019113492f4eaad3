import { request, type RequestOptions } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

const everyMs = 50
const patienceMs = 10_000

/** The result of the requests: how many were answered rightly, and a sentence for each other one. */
export interface Asked {
  right: number
  wrong: string[]
}

/**
 * Asks for the same again and again, one request after the other, until it is stopped: on the socket of an instance, where
 * whatever else stands between a person and the instance may be away, or as people do.
 */
export function askSteadily(target: RequestOptions, expected: string): { asked: Asked; stop(): Promise<Asked> } {
  const asked: Asked = { right: 0, wrong: [] }
  let isWanted = true
  const ended = (async () => {
    for (; isWanted; await delay(everyMs)) {
      const said = await ask(target).catch(String)
      if (said === expected) asked.right += 1
      else asked.wrong.push(said)
    }
  })()
  return {
    asked,
    async stop() {
      isWanted = false
      await ended
      return asked
    },
  }
}

/** @returns the text of one answer. */
export function ask(target: RequestOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ ...target, agent: false, timeout: patienceMs }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (part: string) => (text += part))
      reply.on('end', () => resolve(text)).on('error', reject)
    })
      .on('timeout', function (this: import('node:http').ClientRequest) {
        this.destroy(new Error('no answer'))
      })
      .on('error', reject)
      .end()
  })
}
