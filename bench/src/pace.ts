import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const tickMs = 10

export interface Paced {
  /** Requests that were sent and not answered yet. */
  inFlight(): number
  /** All requests so far. */
  sent(): number
  /** Ends it, and waits for what is under way. */
  stop(): Promise<{ sent: number; lost: number; why: string[] }>
}

/**
 * Asks an instance through the proxy, or the console, so often a second over kept connections, whatever becomes of the
 * requests before. Lost is what is not answered with 200.
 */
export function pace(
  port: number,
  host: string,
  path: string,
  perSecond = 200,
  headers: Record<string, string> = {},
): Paced {
  const agent = new Agent({ keepAlive: true })
  const began = performance.now()
  const why: string[] = []
  let sent = 0
  let open = 0
  let isOver = false

  function lose(reason: string): void {
    why.push(reason)
  }
  function send(): void {
    sent += 1
    open += 1
    const call = request({ host: '127.0.0.1', port, path, agent, headers: { ...headers, host } }, (answer) => {
      answer.resume()
      answer.on('close', () => (open -= 1))
      if (answer.statusCode !== 200) lose(String(answer.statusCode))
    })
    call.on('error', (error: NodeJS.ErrnoException) => {
      open -= 1
      lose(error.code ?? error.message)
    })
    call.end()
  }

  const done = (async () => {
    while (!isOver) {
      const due = ((performance.now() - began) / 1000) * perSecond
      while (sent < due) send()
      await sleep(tickMs)
    }
    while (open > 0) await sleep(tickMs)
  })()
  return {
    inFlight: () => open,
    sent: () => sent,
    async stop() {
      isOver = true
      await done
      agent.destroy()
      return { sent, lost: why.length, why: [...new Set(why)] }
    },
  }
}
