/** The part of autocannon that is used here; it brings no types of its own. */
declare module 'autocannon' {
  interface Options {
    url: string
    connections: number
    amount?: number
    duration?: number
    overallRate?: number
    socketPath?: string
    method?: string
    headers?: Record<string, string>
    requests?: {
      method: string
      path: string
      headers: Record<string, string>
      body?: string
      setupRequest?: (request: object) => object
    }[]
    setupClient?: (client: { setBody(body: string): void }) => void
  }
  interface Result {
    '2xx': number
    non2xx: number
    errors: number
    timeouts: number
  }
  interface Run extends PromiseLike<Result> {
    on(event: 'response', listener: (client: unknown, status: number, bytes: number, ms: number) => void): void
    stop(): void
  }
  export default function autocannon(options: Options): Run
}
