import { createStubDriver } from '@app/drivers/stub'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Driver } from '@app/drivers'
import { freePort } from '../../../tools/test/free-port.ts'
import { type AppOptions, createApp } from '../src/app.ts'
import type { Config } from '../src/config.ts'
import type { Clock } from '../src/platform/clock.ts'
import { openCertificates } from '../src/platform/tls/files.ts'
import { createBuilder } from './build.ts'
import { countQueries } from './queries.ts'
import { checkReplies } from './replies.ts'
import { usualConfig } from './usual.config.ts'

export interface TestServerOptions<D extends Driver> {
  driver?: (config: Config) => D
  config?: Partial<Config>
  clock?: Clock
  /** Folder of a console to serve; none unless told. */
  pages?: string
  /** Told of every query with its duration. */
  onQuery?: AppOptions['onQuery']
  /** Told when the server must not go on. */
  end?: (reason: string) => void
}

export type TestServer = Awaited<ReturnType<typeof startServer>>

/**
 * Address of a new PostgreSQL database when the run is about PostgreSQL; else nothing, which means the embedded one.
 * It has the tables, unless told otherwise.
 */
export async function databaseUrl({ empty = false } = {}): Promise<string | undefined> {
  if (process.env.TEST_DATABASE !== 'postgres') return undefined
  const { createDatabase } = await import('../../../tools/test/postgres.ts')
  return createDatabase(
    process.env.TEST_POSTGRES_URL!,
    undefined,
    empty ? undefined : process.env.TEST_POSTGRES_TEMPLATE,
  )
}

/**
 * A whole server on a port of its own, with a new database and, unless told otherwise, the stub driver.
 * `close` stops it and removes what it left; `stop` only stops it, so that another can be started on its `config`.
 * @throws Error from `close` when an answer broke the contract or a request needed too many queries.
 */
export async function startServer<D extends Driver = ReturnType<typeof createStubDriver>>(
  options: TestServerOptions<D> = {},
) {
  const home = options.config?.home ?? (await mkdtemp(join(tmpdir(), 'forge-')))
  const port = options.config?.port ?? (await freePort())
  const url = options.config?.databaseUrl ?? (await databaseUrl())
  const config: Config = {
    home,
    port,
    ...usualConfig,
    baseUrl: `http://localhost:${port}`,
    instanceDomain: `localhost:${port}`,
    logLevel: 'silent',
    ...(url ? { databaseUrl: url } : {}),
    ...options.config,
  }
  const driver = (options.driver ? options.driver(config) : createStubDriver()) as D
  const log = pino({ level: process.env.FORGE_TEST_LOG ?? 'silent' })
  const source = config.tls?.source
  const certificates = source?.kind === 'files' ? openCertificates(source, log) : undefined
  const queries = countQueries()
  const onQuery: AppOptions['onQuery'] = (event) => {
    queries.count(event)
    options.onQuery?.(event)
  }
  const app = await createApp({
    config,
    driver,
    log,
    certificates,
    // Whether somebody has built the console, and when, is no matter of these tests.
    pages: options.pages ?? join(home, 'no-console'),
    onQuery,
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.end ? { end: options.end } : {}),
  })
  const { faults, watch } = checkReplies()
  queries.watch(app.http)
  watch(app.http)
  await app.listen()
  const address = `http://127.0.0.1:${port}`
  return {
    app,
    config,
    driver,
    address,
    queries,
    faults,
    build: createBuilder(app, address, config),
    stop: () => app.close(),
    async close() {
      await app.services.brokerProcess?.end()
      await app.close()
      certificates?.close()
      await rm(home, { recursive: true, force: true })
      const wrong = [...faults, ...queries.overspent()]
      if (wrong.length > 0) throw new Error(wrong.join('\n'))
    },
  }
}
