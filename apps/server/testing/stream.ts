import type { PushEvent } from '@app/contract'
import { until } from './build.ts'

export type Stream = Awaited<ReturnType<typeof openStream>>

/** The server-sent events of one browser, kept in the order in which they came. */
export async function openStream(address: string, headers: Record<string, string>, query = '') {
  const abort = new AbortController()
  const response = await fetch(`${address}/api/v1/events${query}`, { headers, signal: abort.signal })
  if (!response.ok) throw new Error(`The stream answered ${response.status}`)
  const events: PushEvent[] = []
  /** Names of what is not about the platform: `ready`, `gap`. */
  const signs: string[] = []
  const state = { ended: false }
  void read()

  async function read(): Promise<void> {
    let text = ''
    try {
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        const blocks = (text + part).split('\n\n')
        text = blocks.pop()!
        for (const block of blocks) take(block)
      }
    } catch {
      // The server was stopped, or the test is over.
    }
    state.ended = true
  }
  function take(block: string): void {
    const name = /^event: (.+)$/m.exec(block)?.[1]
    const data = /^data: (.+)$/m.exec(block)?.[1]
    if (name) signs.push(name)
    else if (data) events.push(JSON.parse(data) as PushEvent)
  }

  const stream = {
    headers: response.headers,
    events,
    signs,
    ended: () => state.ended,
    close: () => abort.abort(),
    /** The first event that satisfies, past or to come. */
    heard: (satisfied: (event: PushEvent) => boolean): Promise<PushEvent> =>
      until(
        async () => events.find(satisfied),
        (event) => event !== undefined,
      ).then((event) => event!),
    /** The states of an instance, each once as long as it lasts. */
    states: (id: string): string[] => {
      const all = events.flatMap((event) =>
        event.type === 'instance' && event.id === id ? event.state.meta.state : [],
      )
      return all.filter((state, n) => state !== all[n - 1])
    },
  }
  await until(
    async () => signs.includes('ready'),
    (ready) => ready,
  )
  return stream
}
