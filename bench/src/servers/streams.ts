import { type ClientRequest, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const againMs = 200

/** Open event streams that come back whenever one ends, as those of consoles do. */
export function keepStreams(address: string, cookie: string, path: string, count: number) {
  /** Milliseconds from the end of a stream to its first answer afterwards. */
  const returns: number[] = []
  const calls = new Set<ClientRequest>()
  let isOver = false
  let open = 0

  function listen(endedAt?: number): void {
    if (isOver) return
    let isOpen = false
    let isDone = false
    const back = () => {
      if (isDone) return
      isDone = true
      if (isOpen) open -= 1
      calls.delete(call)
      const since = isOpen ? performance.now() : endedAt
      void sleep(isOpen ? 0 : againMs).then(() => listen(since))
    }
    const call = get(address + path, { agent: false, headers: { cookie, accept: 'text/event-stream' } }, (answer) => {
      answer.on('error', back).on('close', back)
      answer.resume()
      if (answer.statusCode !== 200) return
      isOpen = true
      open += 1
      if (endedAt !== undefined) returns.push(performance.now() - endedAt)
    })
    calls.add(call)
    call.on('error', back)
  }
  for (let one = 0; one < count; one += 1) listen()
  return {
    returns,
    open: () => open,
    close(): void {
      isOver = true
      for (const call of calls) call.destroy()
    },
  }
}
