import type { Data } from './data.ts'
import { median, spread } from './figures.ts'
import { load } from './load.ts'
import type { Row } from './report.ts'
import { runServer, type Server, signIn } from './server.ts'

export interface Context {
  /** State of its own for this run of the bench. */
  home: string
  data: Data
  /** The size of the audit log in words. */
  auditData: string
  /** Few repetitions, to try the bench itself. */
  quick: boolean
  /** Settings of every server of the measure. */
  settings?: Record<string, string>
}
export type Measure = (context: Context) => Promise<Row[]>

/** Gives `work` a server of its own and a session on it, and stops the server again. `env` holds settings of it. */
export async function withServer<T>(
  { home, data, settings }: Context,
  work: (server: Server, cookie: string) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const server = await runServer(home, 'tools/start.ts', { ...settings, ...env })
  try {
    return await work(server, await signIn(server.address, data))
  } finally {
    await server.stop()
  }
}

/**
 * CPU milliseconds of the server for each request to `path`, all its threads counted, over 10 connections:
 * the median of three rounds after a warm-up.
 */
export async function cpuPerRequest(
  server: Server,
  cookie: string,
  path: string,
  count: number,
): Promise<{ value: number; note: string }> {
  const send = (amount: number) => load({ url: server.address + path, connections: 10, amount, headers: { cookie } })
  await send(count)
  const rounds: number[] = []
  for (let round = 0; round < 3; round++) {
    const before = server.cpuMs()
    await send(count)
    rounds.push((server.cpuMs() - before) / count)
  }
  return { value: median(rounds), note: spread(rounds) }
}
